import {api, useData} from "../live";
import {CandidateLink, Command, Facts, More, Section, Select, Table, Text, Verdict, Waiting, useList} from "../parts";
import {Link, findingPath, setQuery, usePlace} from "../route";
import {SourceView} from "../source";
import {count, time} from "../words";
import type {Finding, Findings} from "../wire";

const STATES = ["OPEN", "MINIMISED", "PROPOSED", "CLOSED"];
const ROUTES = ["candidate", "verifier", "cost-model", "vocabulary", "lowering", "contract", "oracle", "tactic", "worker"];

export function FindingsPage() {
  const query = usePlace().query;
  const state = query.get("state") ?? "", route = query.get("route") ?? "";
  const list = useList<Finding, Findings>({
    name: "findings", query: {state, route}, rows: (reply) => reply.findings, keyOf: (one) => one.id,
    concerns: (change) => change.kind.startsWith("Finding"),
  });
  return (
    <>
      <h1>Findings</h1>
      <p class="note">A fault that several candidates of several lineages show, and where it goes: to the candidate, the verifier, the cost model or the vocabulary.</p>
      <p class="filters">
        <Select label="State" value={state} options={STATES} change={(value) => setQuery({state: value})} />
        <Select label="Goes to" value={route} options={ROUTES} change={(value) => setQuery({route: value})} />
      </p>
      {!list.data.value ? <Waiting data={list.data} what="the findings" /> : (
        <>
          <Table caption="Findings, newest first" rows={list.rows} keyOf={(one) => one.id}
            empty={state || route ? "No finding fits." : "No finding. One opens when three candidates of two lineages fail in the same way."}
            columns={[
              {head: "finding", kind: "id", cell: (one) => <Link to={findingPath(one.id)} class="id">{one.id}</Link>},
              {head: "title", kind: "text", cell: (one) => <Text>{one.title}</Text>},
              {head: "goes to", kind: "word", cell: (one) => <Text>{one.route}</Text>},
              {head: "state", kind: "word", cell: (one) => <Text>{one.state}</Text>},
              {head: "candidates", kind: "number", cell: (one) => count(one.count)},
              {head: "first seen", kind: "word", cell: (one) => time(one.first_unix_us)},
              {head: "last seen", kind: "word", cell: (one) => time(one.last_unix_us)},
            ]} />
          <More more={list.more} busy={list.busy} rows={list.rows.length} />
        </>
      )}
    </>
  );
}

export function FindingPage(props: {id: string}) {
  const data = useData<Finding>(api("finding", {finding: props.id}), (change) => change.kind.startsWith("Finding"));
  const one = data.value;
  if (!one) return <><h1>Finding {props.id}</h1><Waiting data={data} what={props.id} /></>;
  const first = one.cases[0];
  return (
    <>
      <h1>Finding {one.id}</h1>
      <p class="lead"><Text>{one.title}</Text></p>
      <Facts facts={[
        ["goes to", <Text>{one.route}</Text>],
        ["state", <Text>{one.state}</Text>],
        ["candidates", count(one.count)],
        ["fingerprint", <code>{one.fingerprint}</code>],
        ["first seen", time(one.first_unix_us)],
        ["last seen", time(one.last_unix_us)],
      ]} />
      <Section title="Minimised program">
        {one.minimised ? <SourceView source={one.minimised} findings={[]} /> : <p class="empty">The failing program has not been reduced yet.</p>}
      </Section>
      <Section title="Candidates that show it">
        <Table caption="The first candidates" rows={one.cases} keyOf={(row) => row.candidate} empty="None." columns={[
          {head: "candidate", kind: "id", cell: (row) => <CandidateLink id={row.candidate} />},
          {head: "verdict", kind: "word", cell: (row) => <Verdict word={row.verdict} />},
          {head: "workload", kind: "word", cell: (row) => <Text>{row.workload}</Text>},
        ]} />
      </Section>
      {first && <p class="next">Next: <Command>{`cake diagnose ${first.candidate}`}</Command></p>}
    </>
  );
}
