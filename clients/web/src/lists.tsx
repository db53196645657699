// Tables that more than one page shows.
import {Text, CandidateLink, Imported, More, Predicted, RunLink, Source, Table, Verdict, useList} from "./parts";
import type {Column} from "./parts";
import {Link, experimentPath} from "./route";
import {bare, binding, count, duration, ratio, time, whole} from "./words";
import type {Change} from "./live";
import type {Candidate, Candidates, Events, LogEvent, Run, Runs} from "./wire";
import type {ComponentChildren} from "preact";

function Budget(props: {run: Run}) {
  const line = props.run.budget?.lines.find((one) => one.kind === "evaluations");
  return <>{line ? `${count(line.spent)} of ${count(line.limit)}` : "no limit"}</>;
}

/** The best of a run in the words of its objective. */
export function BestOf(props: {run: Run}) {
  const best = props.run.best;
  if (!best || !best.candidate) return <>none</>;
  const predicted = bare(props.run.objective_source) === "ESTIMATED";
  return (
    <span class="figure">
      {duration(best.objective_ns)} <Source source={props.run.objective_source} />
      {predicted && best.baseline_ns > 0
        && <small>{ratio(best.objective_ns / best.baseline_ns)} the baseline's predicted time</small>}
    </span>
  );
}

const RUN_COLUMNS: Column<Run>[] = [
  {head: "run", kind: "id", cell: (run) => <><RunLink run={run.run} /> <Imported evidence={run.imported} /></>},
  {head: "experiment", kind: "word", cell: (run) => <Link to={experimentPath(run.experiment)}><Text>{run.experiment}</Text></Link>},
  {head: "workload", kind: "word", cell: (run) => <Text>{run.workload}</Text>},
  {head: "state", kind: "word", cell: (run) => <>{bare(run.state)} <small>{run.reason}</small></>},
  {head: "best", kind: "id", cell: (run) => (run.best?.candidate ? <CandidateLink id={run.best.candidate} /> : "none")},
  {head: "member", kind: "text", cell: (run) => (run.best ? binding(run.best.binding) : "")},
  {head: "time of the best", kind: "number", cell: (run) => <BestOf run={run} />},
  {head: "candidates", kind: "number", cell: (run) => count(run.candidates)},
  {head: "members rejected", kind: "number", cell: (run) => count(run.progress.rejected)},
  {head: "evaluated", kind: "number", cell: (run) => count(run.progress.evaluated)},
  {head: "budget, evaluations", kind: "number", cell: (run) => <Budget run={run} />},
];

export function RunList(props: {caption: string; query: Record<string, string>; empty: ComponentChildren; rows?: number}) {
  const list = useList<Run, Runs>({
    name: "runs", query: props.query, rows: (reply) => reply.runs, keyOf: (run) => run.run,
  });
  if (!list.data.value) return null;
  const rows = props.rows ? list.rows.slice(0, props.rows) : list.rows;
  return (
    <>
      <Table caption={props.caption} columns={RUN_COLUMNS} rows={rows} keyOf={(run) => run.run} empty={props.empty} />
      {!props.rows && <More more={list.more} busy={list.busy} rows={rows.length} />}
    </>
  );
}

const CANDIDATE_COLUMNS: Column<Candidate>[] = [
  {head: "candidate", kind: "id", cell: (one) => <><CandidateLink id={one.id} /> <Imported evidence={one.imported} /></>},
  {head: "verdict", kind: "word", cell: (one) => <Verdict word={one.verdict} blame={one.blame} />},
  {head: "workload", kind: "word", cell: (one) => <Text>{one.workload}</Text>},
  {head: "tactic", kind: "word", cell: (one) => <Text>{one.tactic}</Text>},
  {head: "made from", kind: "id", cell: (one) => one.parents.map((parent) => <><CandidateLink id={parent} /> </>)},
  {head: "members", kind: "number", cell: (one) => count(one.progress.members)},
  {head: "rejected", kind: "number", cell: (one) => count(one.progress.rejected)},
  {head: "evaluated", kind: "number", cell: (one) => count(one.progress.evaluated)},
  {head: "best predicted", kind: "number", cell: (one) => <Predicted ns={one.best_estimate_ns} />},
  {head: "intent", kind: "text", cell: (one) => <Text>{one.intent}</Text>},
];

export function CandidateList(props: {
  caption: string; query: Record<string, string>; empty: ComponentChildren; rows?: number;
}) {
  const ofRun = props.query.run;
  const list = useList<Candidate, Candidates>({
    name: "candidates", query: {...props.query, newest_first: true}, rows: (reply) => reply.candidates,
    keyOf: (one) => one.id, concerns: (change: Change) => !ofRun || change.run === ofRun,
    again: (ids) => ({candidates: ids.join(",")}),
  });
  if (!list.data.value) return null;
  const rows = props.rows ? list.rows.slice(0, props.rows) : list.rows;
  return (
    <>
      <Table caption={props.caption} columns={CANDIDATE_COLUMNS} rows={rows} keyOf={(one) => one.id} empty={props.empty} />
      {!props.rows && <More more={list.more} busy={list.busy} rows={rows.length} />}
    </>
  );
}

const STORY = ["verdict", "blame", "stage", "end", "state", "reason", "kind", "purpose", "attempt", "members_seen",
  "members_total", "shape", "bottleneck", "name", "intent", "objective", "spent", "title"];

/** The few values of an event that somebody follows a run by. */
function story(event: LogEvent): string {
  try {
    const body = JSON.parse(event.body_json) as Record<string, unknown>;
    return STORY.filter((key) => (typeof body[key] === "string" && body[key] !== "") || typeof body[key] === "number")
      .map((key) => `${key} ${String(body[key]).slice(0, 60)}`).join(", ");
  } catch {
    return "";
  }
}

const EVENT_COLUMNS: Column<LogEvent>[] = [
  {head: "number", kind: "number", cell: (event) => count(whole(event.seq))},
  {head: "when", kind: "word", cell: (event) => time(event.at_unix_us)},
  {head: "what", kind: "word", cell: (event) => event.kind},
  {head: "about", kind: "id", cell: (event) => (event.subject.startsWith("c-") ? <CandidateLink id={event.subject} />
    : event.run ? <RunLink run={event.run} /> : <Text>{event.subject}</Text>)},
  {head: "says", kind: "text", cell: (event) => <Text>{story(event)}</Text>},
];

export function EventList(props: {caption: string; query: Record<string, string>; rows?: number}) {
  const {run, subject} = props.query;
  const list = useList<LogEvent, Events>({
    name: "events", query: props.query, rows: (reply) => reply.events, keyOf: (event) => String(event.seq),
    concerns: (change) => (subject ? change.subject === subject : !run || change.run === run),
  });
  if (!list.data.value) return null;
  const rows = props.rows ? list.rows.slice(0, props.rows) : list.rows;
  return (
    <>
      <Table caption={props.caption} columns={EVENT_COLUMNS} rows={rows} keyOf={(event) => String(event.seq)} empty="Nothing happened yet." />
      {!props.rows && <More more={list.more} busy={list.busy} rows={rows.length} />}
    </>
  );
}
