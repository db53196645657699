import {useEffect, useState} from "preact/hooks";
import {Overlay} from "../curve";
import {RunList} from "../lists";
import {api, listen, read, useData} from "../live";
import {Command, More, Section, Table, Text, Waiting, useList} from "../parts";
import {Link, experimentPath} from "../route";
import {count} from "../words";
import type {Curve, Experiment, Experiments, Runs} from "../wire";

const CURVES_SHOWN = 8;
const REREAD_MS = 5000;

export function ExperimentsPage() {
  const list = useList<Experiment, Experiments>({
    name: "experiments", query: {}, rows: (reply) => reply.experiments, keyOf: (one) => one.name,
    concerns: (change) => change.kind === "ExperimentCreated" || change.kind === "RunState" || change.kind === "EvaluationDone",
  });
  return (
    <>
      <h1>Experiments</h1>
      {!list.data.value ? <Waiting data={list.data} what="the experiments" /> : (
        <>
          <Table caption="Experiments, newest first" rows={list.rows} keyOf={(one) => one.name}
            empty={<>No experiment yet. A search makes one: <Command>cake evolve rmsnorm --experiment first --budget evals=24</Command></>}
            columns={[
              {head: "experiment", kind: "word", cell: (one) => <><Link to={experimentPath(one.name)}><Text>{one.name}</Text></Link>{one.imported && <small>imported</small>}</>},
              {head: "sees", kind: "word", cell: (one) => (one.visibility === "CLEAN" ? "only itself" : "what is open")},
              {head: "workloads", kind: "text", cell: (one) => <Text>{one.workloads.join(", ")}</Text>},
              {head: "arms", kind: "text", cell: (one) => <Text>{one.arms.join(", ")}</Text>},
              {head: "runs", kind: "number", cell: (one) => count(one.runs)},
              {head: "running", kind: "number", cell: (one) => count(one.running)},
              {head: "candidates", kind: "number", cell: (one) => count(one.candidates)},
              {head: "evaluations charged", kind: "number", cell: (one) => count(one.evaluations)},
            ]} />
          <More more={list.more} busy={list.busy} rows={list.rows.length} />
        </>
      )}
    </>
  );
}

/** Curves of the first runs, read one after the other; again when one of them was evaluated. */
function useCurves(runs: string[]): Curve[] | undefined {
  const key = runs.join(",");
  const [curves, set] = useState<{key: string; curves: Curve[]}>();
  useEffect(() => {
    let over = false;
    let stale = true;
    const load = async (): Promise<void> => {
      if (!stale) return;
      stale = false;
      try {
        const out: Curve[] = [];
        for (const run of runs) out.push(await read<Curve>(api("curve", {run, max_points: 300})));
        if (!over) set({key, curves: out});
      } catch {
        stale = true;
      }
    };
    const stop = listen((change) => { stale = stale || runs.includes(change.run) || change.kind === "reconnected"; });
    const timer = setInterval(() => void load(), REREAD_MS);
    void load();
    return () => {
      over = true;
      stop();
      clearInterval(timer);
    };
  }, [key]);
  return curves?.key === key ? curves.curves : undefined;
}

export function ExperimentPage(props: {name: string}) {
  const data = useData<Runs>(api("runs", {experiment: props.name, page_size: CURVES_SHOWN}), (change) => change.kind === "RunState");
  const runs = (data.value?.runs ?? []).map((run) => run.run);
  const curves = useCurves(runs);
  const oldest = data.value?.runs[data.value.runs.length - 1];
  if (!data.value) return <><h1>Experiment <Text>{props.name}</Text></h1><Waiting data={data} what={props.name} /></>;
  return (
    <>
      <h1>Experiment <Text>{props.name}</Text></h1>
      <Section title="Best so far" note={data.value.next_page_token ? `The newest ${CURVES_SHOWN} runs.` : undefined}>
        {curves ? <Overlay curves={curves} /> : <p class="note" role="status">reading the curves</p>}
      </Section>
      <Section title="Runs"><RunList caption={`Runs of ${props.name}, newest first`} query={{experiment: props.name}} empty="This experiment has no run." /></Section>
      {oldest && <p class="next">Next: <Command>{`cake history ${oldest.run}`}</Command></p>}
    </>
  );
}
