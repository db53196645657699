import {CandidateList, EventList, RunList} from "../lists";
import {useData} from "../live";
import {Command, Section, Waiting} from "../parts";
import {Link} from "../route";
import {count, whole} from "../words";
import type {Count, Overview} from "../wire";

const total = (counts: Count[]): number => counts.reduce((sum, one) => sum + whole(one.count), 0);

function Tile(props: {title: string; to: string; counts: Count[]; hrefOf?: (word: string) => string; none: string}) {
  return (
    <section class="tile" aria-label={props.title}>
      <h2><Link to={props.to}>{props.title}</Link> <strong>{count(total(props.counts))}</strong></h2>
      {props.counts.length === 0 ? <p class="note">{props.none}</p> : (
        <ul>
          {props.counts.map((one) => (
            <li key={one.word}>
              {props.hrefOf ? <Link to={props.hrefOf(one.word)}>{one.word}</Link> : one.word} <span class="number">{count(one.count)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

export function OverviewPage() {
  const data = useData<Overview>("/api/overview");
  const view = data.value;
  if (!view) return <Waiting data={data} what="the overview" />;
  return (
    <>
      <h1>Overview</h1>
      <div class="tiles">
        <Tile title="Runs" to="/runs" counts={view.runs} none="none yet" hrefOf={(word) => `/runs?state=${word}`} />
        <Tile title="Candidates" to="/history" counts={view.candidates} none="none yet"
          hrefOf={(word) => `/history?verdicts=${word === "PENDING" ? "UNSPECIFIED" : word}`} />
        <Tile title="Queue" to="/devices" counts={view.jobs} none="no job waits or runs" />
        <Tile title="Devices" to="/devices" counts={view.devices} none="no device has registered" />
        <Tile title="Findings" to="/findings" counts={view.findings} none="none" hrefOf={(word) => `/findings?state=${word}`} />
      </div>
      <Section title="Newest runs" note="A predicted time is an estimate of a model, never a measurement; times of different sources are not compared.">
        <RunList caption="The newest runs" query={{}} rows={8}
          empty={<>No run yet. Start one: <Command>cake evolve rmsnorm --budget evals=24</Command></>} />
      </Section>
      <Section title="Newest candidates">
        <CandidateList caption="The newest candidates" query={{}} rows={12}
          empty={<>No candidate yet. Hand one in: <Command>cake submit k.cake --workload rmsnorm --watch</Command></>} />
      </Section>
      <Section title="What happened last"><EventList caption="The newest events" query={{}} rows={12} /></Section>
    </>
  );
}
