// Two candidates side by side.
import {CandidateLink, Source, Table, Text, Verdict} from "./parts";
import {binding, count, plain, quantity, sentence} from "./words";
import type {Compare, DiffLine} from "./wire";

const MARKS: Record<string, string> = {DIFF_KIND_ADDED: "+", DIFF_KIND_REMOVED: "-"};
const SAID: Record<string, string> = {DIFF_KIND_ADDED: "added", DIFF_KIND_REMOVED: "removed"};

function Line(props: {line: DiffLine}) {
  const {line} = props;
  const said = SAID[line.kind] ?? "same";
  return (
    <tr class={said}>
      <td class="line">{line.from_line || ""}</td>
      <td class="line">{line.to_line || ""}</td>
      <td class="mark">{MARKS[line.kind] ?? ""}{said !== "same" && <span class="hidden">{said}</span>}</td>
      <td><code>{plain(line.text) || " "}</code></td>
    </tr>
  );
}

export function SourceDiff(props: {compare: Compare}) {
  const {compare} = props;
  if (compare.too_different) return <p class="empty">The sources differ in more lines than are compared: {count(compare.from.lines)} and {count(compare.to.lines)} lines.</p>;
  if (compare.hunks.length === 0) return <p class="empty">The sources are equal.</p>;
  return (
    <div class="wide source-view" tabIndex={0} role="region" aria-label={`source of ${compare.from.candidate} against ${compare.to.candidate}`}>
      <table class="source diff">
        <caption class="hidden">Lines of {compare.from.candidate} and {compare.to.candidate}</caption>
        {compare.hunks.map((hunk, index) => <tbody key={index}>{hunk.lines.map((line, at) => <Line key={at} line={line} />)}</tbody>)}
      </table>
    </div>
  );
}

/** now / then; of predictions and measurements apart. */
function change(from: number, to: number): string {
  return from > 0 && to > 0 ? `${(to / from).toFixed(3)}×` : "";
}

export function CompareView(props: {compare: Compare}) {
  const {from, to, metrics} = props.compare;
  const only = (codes: string[], others: string[]): string[] => codes.filter((code) => !others.includes(code));
  return (
    <>
      <Table caption="What the two came to" rows={[from, to]} keyOf={(row) => row.candidate} columns={[
        {head: "candidate", kind: "id", cell: (row) => <CandidateLink id={row.candidate} />},
        {head: "verdict", kind: "word", cell: (row) => <Verdict word={row.verdict} blame={row.blame} />},
        {head: "member", kind: "text", cell: (row) => binding(row.binding)},
        {head: "findings only here", kind: "text", cell: (row) => only(row.codes, row === from ? to.codes : from.codes).join(", ") || "none"},
        {head: "lines", kind: "number", cell: (row) => count(row.lines)},
      ]} />
      <Table caption="Figures of the best members" rows={metrics} keyOf={(row) => row.name + row.source} columns={[
        {head: "figure", kind: "word", cell: (row) => <><Text>{sentence(row.name)}</Text> <Source source={row.source} /></>},
        {head: from.candidate, kind: "number", cell: (row) => (row.has_from ? quantity(row.from, row.unit) : "none")},
        {head: to.candidate, kind: "number", cell: (row) => (row.has_to ? quantity(row.to, row.unit) : "none")},
        {head: "change", kind: "number", cell: (row) => (row.has_from && row.has_to ? change(row.from, row.to) : "")},
      ]} empty="Neither has a figure yet." />
      <SourceDiff compare={props.compare} />
    </>
  );
}
