import {BestSoFar} from "../curve";
import {BestOf, CandidateList, EventList, RunList} from "../lists";
import {api, useData} from "../live";
import {CandidateLink, Command, Facts, Imported, Section, Select, Source, Text, Waiting} from "../parts";
import {Link, experimentPath, setQuery, usePlace} from "../route";
import {bare, binding, count} from "../words";
import type {Curve, Runs} from "../wire";

const STATES = ["CREATED", "RUNNING", "PAUSED", "CONFIRMING", "STOPPED"];

export function RunsPage() {
  const state = usePlace().query.get("state") ?? "";
  return (
    <>
      <h1>Runs</h1>
      <p class="filters"><Select label="State" value={state} options={STATES} change={(value) => setQuery({state: value})} /></p>
      <RunList caption="Runs, newest first" query={{state}}
        empty={state ? `No run is ${state}.` : <>No run yet. Start one: <Command>cake evolve rmsnorm --budget evals=24</Command></>} />
    </>
  );
}

export function RunPage(props: {run: string}) {
  const data = useData<Runs>(api("runs", {run: props.run}), (change) => change.run === props.run);
  const curve = useData<Curve>(api("curve", {run: props.run}), (change) => change.run === props.run && change.kind === "EvaluationDone");
  const run = data.value?.runs[0];
  if (!run) return <><h1>Run {props.run}</h1><Waiting data={data} what={props.run} /></>;
  const budget = run.budget?.lines ?? [];
  return (
    <>
      <h1>Run {run.run}</h1>
      <p class="lead"><Text>{run.text}</Text> <Imported evidence={run.imported} /></p>
      <Facts facts={[
        ["experiment", <Link to={experimentPath(run.experiment)}><Text>{run.experiment}</Text></Link>],
        ["workload", <Text>{run.workload}</Text>],
        ["state", `${bare(run.state)}${run.reason ? `, ${run.reason}` : ""}`],
        ["objective", <Source source={run.objective_source} />],
        ["best", run.best?.candidate ? <><CandidateLink id={run.best.candidate} /> {binding(run.best.binding)}</> : "none"],
        ["time of the best", <BestOf run={run} />],
        ["members", `${count(run.progress.expanded)} of ${count(run.progress.members)} looked at`],
        ["rejected by the gates", count(run.progress.rejected)],
        ["duplicates", count(run.progress.duplicates)],
        ["ranked out", count(run.progress.ranked_out)],
        ["evaluated", count(run.progress.evaluated)],
        ["in flight", count(run.progress.queued)],
        ["decisions", count(run.decisions)],
        ["seed", String(run.seed)],
        ...budget.map((line): [string, string] => [`budget, ${line.kind}`, `${count(line.spent)} of ${count(line.limit)} spent, ${count(line.reserved)} reserved`]),
      ]} />
      <Section title="Best so far">{curve.value ? <BestSoFar curve={curve.value} /> : <Waiting data={curve} what="the curve" />}</Section>
      <Section title="Candidates">
        <CandidateList caption={`Candidates of ${run.run}, newest first`} query={{run: run.run}} empty="This run has no candidate yet." />
      </Section>
      <Section title="Log"><EventList caption={`Events of ${run.run}, newest first`} query={{run: run.run}} /></Section>
      <p class="next">Next: <Command>{run.best?.candidate ? `cake diagnose ${run.best.candidate}` : `cake watch ${run.run}`}</Command></p>
    </>
  );
}
