// Learnt rules on their way from an agent's text to a gate: what each was asked, what it hit, who decided.
import {api, useData} from "../live";
import {CandidateLink, Command, Facts, More, Section, Table, Text, Waiting, useList} from "../parts";
import {Link, proposalPath} from "../route";
import {SourceView} from "../source";
import {count, sentence, whole} from "../words";
import type {Change} from "../live";
import type {Proposal, ProposalGate, Proposals} from "../wire";

// What a rule hit changes with the gates' and the oracle's answers.
const concerns = (change: Change): boolean => ["ProposalState", "Decided", "GatesDone", "VariantsExpanded", "EvaluationDone"].includes(change.kind);

/** "cake rule ..." is a command; anything else is a sentence. */
const isCommand = (next: string): boolean => next.startsWith("cake ");

const rev = (one: Proposal): string => `${one.name}@${whole(one.rev)}`;

export function ProposalsPage() {
  const list = useList<Proposal, Proposals>({
    name: "proposals", query: {}, rows: (reply) => reply.proposals, keyOf: (one) => one.proposal, concerns,
  });
  return (
    <>
      <h1>Learnt rules</h1>
      <p class="note">
        A rule is proposed as a text, asked of its own programs, of the corpus and of live candidates without a say, and refuses
        candidates only after a person who is not its author has approved it.
      </p>
      {!list.data.value ? <Waiting data={list.data} what="the rules" /> : (
        <>
          <Table caption="Learnt rules, newest first" rows={list.rows} keyOf={(one) => one.proposal}
            empty={<>No rule was proposed. To try one: <Command>cake rule try FILE.rule.toml</Command></>}
            columns={[
              {head: "rule", kind: "id", cell: (one) => <Link to={proposalPath(one.proposal)} class="id">{one.proposal}</Link>},
              {head: "name", kind: "word", cell: (one) => <Text>{rev(one)}</Text>},
              {head: "code", kind: "word", cell: (one) => <Text>{one.code}</Text>},
              {head: "state", kind: "word", cell: (one) => <Text>{one.state}</Text>},
              {head: "author", kind: "word", cell: (one) => <Text>{one.author}</Text>},
              {head: "candidates asked", kind: "number", cell: (one) => `${count(one.judged)} of ${count(one.judged_min)}`},
              {head: "members hit", kind: "number", cell: (one) => count(one.hits)},
              {head: "refused by the oracle", kind: "number", cell: (one) => count(one.true_hits)},
              {head: "accepted by it", kind: "number", cell: (one) => count(one.false_hits)},
            ]} />
          <More more={list.more} busy={list.busy} rows={list.rows.length} />
        </>
      )}
    </>
  );
}

interface Trial { program?: string; verdict?: string; hits?: number; fault?: string }

/** What a gate said, in a line: its report is a list of trials or an object of counts. */
function said(gate: ProposalGate): string {
  try {
    const report = JSON.parse(gate.report) as Trial[] | Record<string, unknown>;
    if (!Array.isArray(report)) {
      return Object.entries(report).map(([key, value]) => `${sentence(key)}: ${JSON.stringify(value).slice(0, 200)}`).join(", ");
    }
    return report.map((one) => `${one.program}: gates ${one.verdict}, ${one.hits} violations${one.fault ? `; ${one.fault}` : ""}`).join("; ");
  } catch {
    return "";
  }
}

export function ProposalPage(props: {id: string}) {
  const data = useData<Proposals>(api("proposals", {proposal: props.id}), concerns);
  const one = data.value?.proposals[0];
  if (!one) return <><h1>Learnt rule {props.id}</h1><Waiting data={data} what={props.id} /></>;
  return (
    <>
      <h1>Learnt rule {one.proposal}</h1>
      <p class="lead"><Text>{rev(one)}</Text></p>
      <Facts facts={[
        ["code", <Text>{one.code}</Text>],
        ["state", <Text>{one.state}</Text>],
        ["author", <Text>{one.author}</Text>],
        ["candidates asked", `${count(one.judged)} of the ${count(one.judged_min)} that are needed`],
        ["members hit", count(one.hits)],
        ["refused by the oracle", `${count(one.true_hits)} candidates of ${count(one.true_lineages)} lineages`],
        ["accepted by the oracle", count(one.false_hits)],
        ["decided", one.decided ? <><Text>{one.decided}</Text> by <Text>{one.decided_by}</Text>: <Text>{one.reason}</Text></> : "not yet"],
      ]} />
      <Section title="Gates">
        <Table caption="The newest run of each gate over this revision" rows={one.gates} keyOf={(row) => row.gate} empty="It was not gated yet." columns={[
          {head: "gate", kind: "word", cell: (row) => <Text>{row.gate}</Text>},
          {head: "outcome", kind: "word", cell: (row) => <span class={row.outcome === "PASS" ? "good" : "bad"}>{row.outcome}</span>},
          {head: "verifier", kind: "word", cell: (row) => <Text>{row.verifier_rev}</Text>},
          {head: "says", kind: "text", cell: (row) => <Text>{said(row)}</Text>},
        ]} />
      </Section>
      <Section title="Text" note="Written by its author: data, not instructions.">
        <SourceView source={one.text} findings={[]} />
      </Section>
      <Section title="Made from">
        {one.failures.length === 0 ? <p class="empty">No candidate is named.</p>
          : <p>{one.failures.map((id) => <><CandidateLink id={id} /> </>)}</p>}
      </Section>
      <p class="next">Next: {isCommand(one.next) ? <Command>{one.next}</Command> : <Text>{one.next}</Text>}</p>
    </>
  );
}
