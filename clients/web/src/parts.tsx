// What the pages are made of.
import type {ComponentChildren} from "preact";
import {useEffect, useState} from "preact/hooks";
import {ApiError, api, everything, listen, read, useData} from "./live";
import type {Concerns, Data} from "./live";
import {Link, candidatePath, runPath} from "./route";
import {bare, duration, plain, tone, verdictWord} from "./words";
import type {Evidence, Page} from "./wire";

export function Text(props: {children: string}) {
  return <>{plain(props.children)}</>;
}

export function Verdict(props: {word: string; blame?: string}) {
  const word = verdictWord(props.word);
  const blame = bare(props.blame);
  return (
    <span class={`verdict ${tone(word)}`}>
      {word}
      {blame && blame !== "NONE" && <small> {blame.toLowerCase()}</small>}
    </span>
  );
}

const SOURCES: Record<string, string> = {
  MEASURED: "measured", ESTIMATED: "predicted", REPLAY: "replayed", SIMULATED: "simulated", MACHINE_CYCLES: "machine cycles",
};

/** Where a figure comes from, in a word that cannot be taken for another. */
export function Source(props: {source: string; simulated?: boolean}) {
  const word = bare(props.source);
  if (!word) return null;
  const text = SOURCES[word] ?? word.toLowerCase().replace("_", " ");
  return <span class={`source ${text}`}>{text}{props.simulated && word === "MEASURED" ? ", simulated device" : ""}</span>;
}

export function Predicted(props: {ns: number; low?: number; high?: number}) {
  if (!(props.ns > 0)) return null;
  const low = props.low ?? 0, high = props.high ?? 0;
  return (
    <span class="figure">
      {duration(props.ns)} <Source source="ESTIMATED" />
      {high > 0 && <small>{duration(low)} to {duration(high)}</small>}
    </span>
  );
}

export function Imported(props: {evidence?: Evidence}) {
  const evidence = props.evidence;
  if (!evidence) return null;
  const demo = evidence.campaign === "demo";
  return (
    <small class={demo ? "demo" : ""}>
      {demo ? "demo data" : <>imported, <Text>{`${evidence.campaign}, ${evidence.device}`}</Text></>}
      {evidence.simulated && !demo ? ", simulated" : ""}
    </small>
  );
}

export function Hardware(props: {note: string}) {
  return props.note ? <span class="unseen" role="note">{props.note}</span> : null;
}

export const RunLink = (props: {run: string}) => <Link to={runPath(props.run)} class="id">{props.run}</Link>;
export const CandidateLink = (props: {id: string}) => <Link to={candidatePath(props.id)} class="id">{props.id}</Link>;

export function Command(props: {children: string}) {
  const [copied, set] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(props.children);
      set(true);
      setTimeout(() => set(false), 1500);
    } catch {
      // No clipboard: the text can be marked by hand.
    }
  };
  return (
    <span class="command">
      <code>{plain(props.children)}</code>
      <button type="button" class="quiet" onClick={() => void copy()} aria-label={`copy: ${props.children}`}>
        {copied ? "copied" : "copy"}
      </button>
    </span>
  );
}

export function Empty(props: {children: ComponentChildren}) {
  return <p class="empty">{props.children}</p>;
}

/** What is shown until there is something, or when it cannot be. */
export function Waiting(props: {data: Data<unknown>; what: string}) {
  if (!props.data.error) return <p class="note" role="status">reading {props.what}</p>;
  const missing = props.data.error instanceof ApiError && props.data.error.status === 404;
  return <p class="failure" role="alert">{missing ? "There is no such thing: " : `No answer for ${props.what}: `}<Text>{props.data.error.message}</Text></p>;
}

export interface Column<Row> {
  head: string;
  kind?: "number" | "id" | "text" | "word";
  cell: (row: Row) => ComponentChildren;
}

export function Table<Row>(props: {
  caption: string; columns: Column<Row>[]; rows: Row[]; keyOf: (row: Row) => string; empty?: ComponentChildren;
}) {
  if (props.rows.length === 0) return props.empty === undefined ? null : <Empty>{props.empty}</Empty>;
  return (
    <div class="wide" tabIndex={0} role="region" aria-label={props.caption}>
      <table>
        <caption>{props.caption}</caption>
        <thead>
          <tr>{props.columns.map((column) => <th scope="col" key={column.head} class={column.kind}>{column.head}</th>)}</tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr key={props.keyOf(row)} data-key={props.keyOf(row)}>
              {props.columns.map((column, index) => index === 0
                ? <th scope="row" key={column.head} class={column.kind}>{column.cell(row)}</th>
                : <td key={column.head} class={column.kind}>{column.cell(row)}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export const PAGE_ROWS = 50;
const SHOWN_MAX = 2000;
const IDS_PER_READ = 100;
const REREAD_MS = 1500;

/** A list that is read page by page. Rows whose keys are subjects of events name `again`: how some are read by key. */
export interface ListOf<Row, Reply extends Page> {
  name: string;                                       // of the API
  query: Record<string, string | number | boolean | undefined>;
  rows: (reply: Reply) => Row[];
  keyOf: (row: Row) => string;
  concerns?: Concerns;
  again?: (keys: string[]) => Record<string, string>;
}

interface Older<Row> { path: string; rows: Row[]; token: string }

/**
 * The newest page, kept fresh, and the older pages that were asked for. A row is shown once, in its
 * newest form.
 */
export function useList<Row, Reply extends Page>(list: ListOf<Row, Reply>) {
  const path = api(list.name, {...list.query, page_size: PAGE_ROWS});
  const data = useData<Reply>(path, list.concerns ?? everything);
  const [older, setOlder] = useState<Older<Row>>({path, rows: [], token: ""});
  const [busy, setBusy] = useState(false);
  const first = data.value ? list.rows(data.value) : [];
  const kept = older.path === path ? older : {path, rows: [], token: ""};
  // Rows that leave the first page because newer ones came are kept below it.
  useEffect(() => {
    if (!data.value) return;
    setOlder((old) => {
      if (old.path !== path) return {path, rows: first, token: data.value?.next_page_token ?? ""};
      const fresh = new Map(first.map((row) => [list.keyOf(row), row]));
      const known = new Set(old.rows.map(list.keyOf));
      // More came than a page has since it was read last: what is between would be missing for ever.
      const gap = old.rows.length > 0 && first.length > 0 && !first.some((row) => known.has(list.keyOf(row)));
      if (gap) return {path, rows: first, token: data.value?.next_page_token ?? ""};
      const rows = [...first.filter((row) => !known.has(list.keyOf(row))),
        ...old.rows.map((row) => fresh.get(list.keyOf(row)) ?? row)];
      return {...old, rows, token: old.rows.length === 0 ? data.value?.next_page_token ?? "" : old.token};
    });
  }, [data.value, path]);
  useChangedRows(list, path, older.rows.length > PAGE_ROWS, setOlder);
  const rows = kept.rows.length > 0 ? kept.rows : first;
  const token = kept.rows.length > 0 ? kept.token : data.value?.next_page_token ?? "";
  const more = token !== "" && rows.length < SHOWN_MAX ? async (): Promise<void> => {
    setBusy(true);
    try {
      const reply = await read<Reply>(api(list.name, {...list.query, page_size: PAGE_ROWS, page_token: token}));
      setOlder((old) => {
        if (old.path !== path) return old;
        const known = new Set(old.rows.map(list.keyOf));
        return {path, token: reply.next_page_token,
          rows: [...old.rows, ...list.rows(reply).filter((row) => !known.has(list.keyOf(row)))]};
      });
    } catch {
      // The button stays: it can be tried again.
    } finally {
      setBusy(false);
    }
  } : undefined;
  return {data, rows, more, busy};
}

/** Rows below the newest page, read again when events name them. */
function useChangedRows<Row, Reply extends Page>(list: ListOf<Row, Reply>, path: string, wanted: boolean,
                                                  set: (change: (old: Older<Row>) => Older<Row>) => void): void {
  const again = list.again;
  useEffect(() => {
    if (!again || !wanted) return undefined;
    const changed = new Set<string>();
    const stop = listen((change) => void changed.add(change.subject));
    const timer = setInterval(() => {
      const keys = [...changed].slice(0, IDS_PER_READ);
      if (keys.length === 0) return;
      for (const key of keys) changed.delete(key);
      read<Reply>(api(list.name, again(keys))).then((reply) => {
        const fresh = new Map(list.rows(reply).map((row) => [list.keyOf(row), row]));
        set((old) => (old.path === path ? {...old, rows: old.rows.map((row) => fresh.get(list.keyOf(row)) ?? row)} : old));
      }, () => keys.forEach((key) => changed.add(key)));
    }, REREAD_MS);
    return () => {
      stop();
      clearInterval(timer);
    };
  }, [path, wanted]);
}

export function More(props: {more: (() => Promise<void>) | undefined; busy: boolean; rows: number}) {
  if (!props.more) return null;
  return (
    <p>
      <button type="button" class="more" disabled={props.busy} onClick={() => void props.more?.()}>
        {props.busy ? "reading" : "show older"}
      </button>
      <small> {props.rows} shown</small>
    </p>
  );
}

export function Section(props: {title: string; children: ComponentChildren; note?: ComponentChildren}) {
  const id = props.title.toLowerCase().replace(/[^a-z]+/g, "-");
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{props.title}</h2>
      {props.note && <p class="note">{props.note}</p>}
      {props.children}
    </section>
  );
}

export function Facts(props: {facts: [string, ComponentChildren][]}) {
  return (
    <dl class="facts">
      {props.facts.filter(([, value]) => value !== "" && value !== undefined && value !== null).map(([name, value]) => (
        <div key={name}><dt>{name}</dt><dd>{value}</dd></div>
      ))}
    </dl>
  );
}

export function Select(props: {label: string; value: string; options: string[]; change: (value: string) => void}) {
  return (
    <label>{props.label} <select value={props.value} onChange={(event) => props.change(event.currentTarget.value)}>
      <option value="">any</option>
      {props.options.map((option) => <option key={option} value={option}>{option}</option>)}
    </select></label>
  );
}

export function Field(props: {label: string; value: string; change: (value: string) => void; hint?: string}) {
  return (
    <label>{props.label} <input type="text" value={props.value} placeholder={props.hint}
      onChange={(event) => props.change(event.currentTarget.value.trim())} /></label>
  );
}
