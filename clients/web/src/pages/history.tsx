import {CompareView} from "../diff";
import {CandidateList} from "../lists";
import {api, nothing, useData} from "../live";
import {Command, Empty, Field, Section, Select, Waiting} from "../parts";
import {setQuery, usePlace} from "../route";
import type {Compare} from "../wire";

const VERDICTS = ["REJECTED_SYNTAX", "REJECTED_TYPE", "REJECTED_SAFETY", "REJECTED_HARDWARE", "REJECTED_DATA",
  "REJECTED_SCHEDULE", "REJECTED_UNPROVEN", "REJECTED_LIMIT", "DUPLICATE", "RANKED_OUT", "LOWERING_FAILED",
  "COMPILE_LIMIT", "LAUNCH_FAILED", "DEVICE_FAULT", "HANG", "WRONG_RESULT", "INCOMPLETE_OUTPUT",
  "OUT_OF_BOUNDS_WRITE", "INPUT_MODIFIED", "NONDETERMINISTIC", "RACE_OBSERVED", "STALE_OUTPUT", "MACHINE_DISAGREES",
  "CONTRACT_SUSPECT", "MEASUREMENT_FAULT", "IMPOSSIBLE_SPEED", "CORRECT", "IMPROVED", "CONFIRMED",
  "INFRA_WORKER_LOST", "INFRA_DEVICE", "INFRA_TOOLCHAIN", "INFRA_POISON_JOB", "CANCELLED", "UNSPECIFIED"];
const FIELDS = ["run", "workload", "verdicts", "tactic", "code", "text"] as const;
const FLAGS: Record<string, string> = {verdicts: "verdict"};

/** The same search on the command line, which also writes files. */
function exportCommand(query: Record<string, string>): string {
  const words = Object.entries(query).filter(([, value]) => value)
    .map(([key, value]) => `--${FLAGS[key] ?? key} ${/^[\w.,-]+$/.test(value) ? value : `'${value.replace(/'/g, "'\\''")}'`}`);
  return ["cake history candidates", ...words, "--format csv"].join(" ");
}

export function HistoryPage() {
  const place = usePlace();
  const query = Object.fromEntries(FIELDS.map((field) => [field, place.query.get(field) ?? ""])) as Record<string, string>;
  const any = Object.values(query).some((value) => value);
  return (
    <>
      <h1>History</h1>
      <form class="filters" role="search" aria-label="candidates" onSubmit={(event) => event.preventDefault()}>
        <Field label="Run" value={query.run ?? ""} hint="r-7" change={(value) => setQuery({run: value})} />
        <Field label="Workload" value={query.workload ?? ""} hint="rmsnorm" change={(value) => setQuery({workload: value})} />
        <Select label="Verdict" value={query.verdicts ?? ""} options={VERDICTS} change={(value) => setQuery({verdicts: value})} />
        <Field label="Tactic" value={query.tactic ?? ""} change={(value) => setQuery({tactic: value})} />
        <Field label="Diagnostic" value={query.code ?? ""} hint="CK2001" change={(value) => setQuery({code: value})} />
        <Field label="Intent holds" value={query.text ?? ""} change={(value) => setQuery({text: value})} />
        {any && <button type="button" onClick={() => setQuery(Object.fromEntries(FIELDS.map((field) => [field, ""])))}>all</button>}
      </form>
      <SearchResult query={query} any={any} />
      <p class="next">As a file: <Command>{exportCommand(query)}</Command></p>
    </>
  );
}

function SearchResult(props: {query: Record<string, string>; any: boolean}) {
  // A search that cannot be answered says why; the list itself shows what there is.
  const data = useData(api("candidates", {...props.query, newest_first: true, page_size: 1}), nothing);
  if (data.error) return <Waiting data={data} what="the search" />;
  return <CandidateList caption="Candidates, newest first" query={props.query}
    empty={props.any ? "No candidate fits." : <>No candidate yet. Hand one in: <Command>cake submit k.cake --workload rmsnorm --watch</Command></>} />;
}

export function ComparePage() {
  const query = usePlace().query;
  const from = query.get("from") ?? "", to = query.get("to") ?? "";
  const data = useData<Compare>(from && to ? api("compare", {from, to}) : "", nothing);
  return (
    <>
      <h1>Compare</h1>
      <form class="filters" aria-label="two candidates" onSubmit={(event) => event.preventDefault()}>
        <Field label="From" value={from} hint="c-1-1" change={(value) => setQuery({from: value})} />
        <Field label="To" value={to} hint="c-1-2" change={(value) => setQuery({to: value})} />
      </form>
      {!from || !to ? <Empty>Name two candidates.</Empty>
        : !data.value ? <Waiting data={data} what="the comparison" />
          : <Section title={`${from} to ${to}`}><CompareView compare={data.value} /></Section>}
      {from && to && <p class="next">Next: <Command>{`cake diff ${from} ${to}`}</Command></p>}
    </>
  );
}
