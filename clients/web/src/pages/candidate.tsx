import {CompareView} from "../diff";
import {EventList} from "../lists";
import {LineageView} from "../lineage";
import {MapView} from "../map";
import {SourceView} from "../source";
import {api, nothing, useData} from "../live";
import type {Concerns} from "../live";
import {
  CandidateLink, Command, Facts, Hardware, Imported, Predicted, RunLink, Section, Source, Table, Text, Verdict, Waiting,
} from "../parts";
import {Link, experimentPath, findingPath} from "../route";
import {bare, binding, count, duration, quantity, ratio, sentence, time} from "../words";
import type {Candidate, Compare, Diagnose, Evaluation, Explained, Lineage, Member, Report} from "../wire";

/** The newest evaluation that timed something. */
function timed(member: Member): Evaluation | undefined {
  return [...member.evaluations].reverse().find((one) => one.time_ns > 0);
}

function Measured(props: {evaluation: Evaluation | undefined}) {
  const {evaluation} = props;
  if (!evaluation) return <>not measured</>;
  return (
    <span class="figure">
      {duration(evaluation.time_ns)} <Source source={evaluation.source} simulated={evaluation.simulated} />
      <small><Text>{evaluation.device}</Text></small>
    </span>
  );
}

function Members(props: {candidate: Candidate}) {
  return (
    <Table caption="Members, best first: estimate against measurement" rows={props.candidate.variants} keyOf={(row) => row.binding}
      empty="No member has been judged yet."
      columns={[
        {head: "member", kind: "text", cell: (row) => binding(row.binding) || "the only one"},
        {head: "verdict", kind: "word", cell: (row) => <Verdict word={row.verdict} blame={row.blame} />},
        {head: "estimate", kind: "number", cell: (row) => <Predicted ns={row.estimate_ns} low={row.estimate_low_ns} high={row.estimate_high_ns} />},
        {head: "model", kind: "word", cell: (row) => (bare(row.coverage) === "RANK_ONLY" ? "ranks only" : sentence(row.coverage))},
        {head: "bound by", kind: "word", cell: (row) => <Text>{row.bottleneck}</Text>},
        {head: "measurement", kind: "number", cell: (row) => <Measured evaluation={timed(row)} />},
        {head: "estimate / measurement", kind: "number", cell: (row) => {
          const one = timed(row);
          return one && row.estimate_ns > 0 ? ratio(row.estimate_ns / one.time_ns) : "";
        }},
        {head: "baseline / candidate", kind: "number", cell: (row) => {
          const one = timed(row);
          return one && one.ratio_med > 0
            ? <span class="figure">{ratio(one.ratio_med)} <Source source={one.source} simulated={one.simulated} /><small>{ratio(one.ratio_low)} to {ratio(one.ratio_high)}</small></span> : "";
        }},
        {head: "rank", kind: "number", cell: (row) => (row.rank > 0 ? `${row.rank}, ${row.rank_why.toLowerCase()}` : "")},
      ]} />
  );
}

function Estimate(props: {report: Report}) {
  const estimate = props.report.estimate;
  if (!estimate || !(estimate.time_ns > 0)) return null;
  return (
    <>
      <p class="note">
        For {estimate.shape ? <Text>{estimate.shape}</Text> : "the case that weighs most"}: <Predicted ns={estimate.time_ns} low={estimate.low_ns} high={estimate.high_ns} />,
        bound by {estimate.bottleneck?.kind ?? "unknown"}{estimate.runner_up?.kind ? `, then ${estimate.runner_up.kind}` : ""};
        roofline {duration(estimate.roofline_ns)}.
        {bare(estimate.coverage) === "RANK_ONLY" && " The model is not calibrated here: it ranks, its nanoseconds are no claim."}
      </p>
      <Table caption="Where the predicted time goes" rows={estimate.attribution.slice(0, 12)} keyOf={(row) => `${row.span.begin}${row.resource}`} columns={[
        {head: "line", kind: "number", cell: (row) => <a href={`#L${row.span.line}`}>{row.span.line}</a>},
        {head: "predicted", kind: "number", cell: (row) => duration(row.ns)},
        {head: "resource", kind: "word", cell: (row) => row.resource},
      ]} />
    </>
  );
}

function Properties(props: {report: Report}) {
  return (
    <Table caption="Properties" rows={props.report.properties} keyOf={(row) => row.property} empty="No property was looked at." columns={[
      {head: "property", kind: "word", cell: (row) => row.property},
      {head: "how", kind: "word", cell: (row) => <span class={bare(row.how) === "REFUTED" ? "bad" : ""}>{sentence(row.how)}</span>},
      {head: "coverage", kind: "text", cell: (row) => <Text>{row.coverage}</Text>},
    ]} />
  );
}

function Advice(props: {diagnose: Diagnose}) {
  const {advice, findings} = props.diagnose;
  return (
    <>
      {advice.length === 0 ? <p class="empty">Nothing to change is known.</p> : (
        <ol class="advice">
          {advice.map((one, index) => <li key={index}><Text>{one.what}</Text>{one.why && <small><Text>{one.why}</Text></small>}{one.evidence && <small><Text>{one.evidence}</Text></small>}</li>)}
        </ol>
      )}
      {findings.map((finding) => {
        const id = finding.split(" ")[0] ?? "";
        return <p key={finding}>finding <Link to={findingPath(id)} class="id">{id}</Link> <Text>{finding.slice(id.length)}</Text></p>;
      })}
    </>
  );
}

function Comparisons(props: {diagnose: Diagnose}) {
  const rows = props.diagnose.comparisons.flatMap((comparison) => comparison.changes.map((change) => ({comparison, change})));
  return (
    <Table caption="Against parent, previous, best and baseline" rows={rows} keyOf={(row) => row.comparison.against + row.change.name}
      empty="There is nothing to compare with." columns={[
        {head: "against", kind: "word", cell: (row) => <>{sentence(row.comparison.against)} {row.comparison.candidate.startsWith("c-") && <CandidateLink id={row.comparison.candidate} />}</>},
        {head: "figure", kind: "word", cell: (row) => <Text>{sentence(row.change.name)}</Text>},
        {head: "now", kind: "number", cell: (row) => quantity(row.change.now, row.change.unit)},
        {head: "then", kind: "number", cell: (row) => quantity(row.change.then, row.change.unit)},
      ]} />
  );
}

function ToParent(props: {candidate: Candidate}) {
  const parent = props.candidate.parents[0] ?? "";
  const data = useData<Compare>(parent ? api("compare", {from: parent, to: props.candidate.id}) : "", nothing);
  if (!parent) return <p class="empty">It has no parent: it was handed in by itself.</p>;
  return data.value ? <CompareView compare={data.value} /> : <Waiting data={data} what="the comparison" />;
}

export function CandidatePage(props: {id: string}) {
  const mine: Concerns = (change) => change.subject === props.id;
  const data = useData<Candidate>(api("candidate", {candidate: props.id, with_source: true}), mine);
  const diagnosed = useData<Diagnose>(api("diagnose", {candidate: props.id}), mine);
  const explained = useData<Explained>(api("map", {candidate: props.id}), nothing);
  const lineage = useData<Lineage>(api("lineage", {candidate: props.id}), (change) => change.kind === "CandidateSubmitted");
  const one = data.value;
  if (!one) return <><h1>Candidate {props.id}</h1><Waiting data={data} what={props.id} /></>;
  const diagnose = diagnosed.value;
  const report = diagnose?.report ?? one.report;
  return (
    <>
      <h1>Candidate {one.id} <Verdict word={one.verdict} blame={one.blame} /> <Hardware note={explained.value?.hardware ?? ""} /></h1>
      <p class="lead"><Text>{one.intent}</Text> <Imported evidence={one.imported} /></p>
      <Facts facts={[
        ["run", <RunLink run={one.run} />],
        ["experiment", <Link to={experimentPath(one.experiment)}><Text>{one.experiment}</Text></Link>],
        ["workload", <Text>{one.workload}</Text>],
        ["author", <Text>{one.author}</Text>],
        ["tactic", one.tactic ? <Text>{one.tactic}</Text> : ""],
        ["made from", one.parents.length > 0 ? one.parents.map((parent) => <><CandidateLink id={parent} /> </>) : ""],
        ["duplicate of", one.duplicate_of ? <CandidateLink id={one.duplicate_of} /> : ""],
        ["handed in", time(one.created_unix_us)],
        ["target", explained.value?.arch ? <>{explained.value.arch} <Hardware note={explained.value.hardware} /></> : ""],
        ["members", `${count(one.progress.members)}: ${count(one.progress.rejected)} rejected, ${count(one.progress.ranked_out)} ranked out, ${count(one.progress.evaluated)} evaluated`],
      ]} />
      <Section title="Source"><SourceView source={one.source} findings={report?.diagnostics ?? []} /></Section>
      <Section title="What to change">{diagnose ? <Advice diagnose={diagnose} /> : <Waiting data={diagnosed} what="the diagnosis" />}</Section>
      <Section title="Estimate and measurement" note="A predicted time is an estimate of a model, never a measurement.">
        <Members candidate={one} />
        {report && <Estimate report={report} />}
      </Section>
      {report && <Section title="Properties"><Properties report={report} /></Section>}
      {diagnose && diagnose.checks.length > 0 && (
        <Section title="Checks of the contract">
          <Table caption="Checks" rows={diagnose.checks} keyOf={(row) => row.name} columns={[
            {head: "check", kind: "word", cell: (row) => <Text>{row.name}</Text>},
            {head: "outcome", kind: "word", cell: (row) => <span class={row.outcome === "FAIL" ? "bad" : row.outcome === "PASS" ? "good" : ""}>{row.outcome}</span>},
            {head: "evidence", kind: "text", cell: (row) => <Text>{row.evidence}</Text>},
          ]} />
        </Section>
      )}
      {diagnose && <Section title="Compared"><Comparisons diagnose={diagnose} /></Section>}
      <Section title="Difference to its parent"><ToParent candidate={one} /></Section>
      <Section title="Derived map">
        {explained.value?.map_json ? <MapView json={explained.value.map_json} />
          : explained.value ? <p class="empty">Nothing is derived from a program that is rejected.</p>
            : <Waiting data={explained} what="the derived map" />}
      </Section>
      <Section title="Lineage">{lineage.value ? <LineageView lineage={lineage.value} /> : <Waiting data={lineage} what="the lineage" />}</Section>
      <Section title="Log"><EventList caption={`Events of ${one.id}, newest first`} query={{subject: one.id}} /></Section>
      <p class="next">Next: <Command>{diagnose?.next_command ?? `cake diagnose ${one.id}`}</Command></p>
    </>
  );
}
