// A program with what was found in it, below the lines that it is about.
import {useState} from "preact/hooks";
import {Text} from "./parts";
import {plain, sentence} from "./words";
import type {Diagnostic} from "./wire";

const LINES_SHOWN = 1500;

export function Finding(props: {finding: Diagnostic}) {
  const {finding} = props;
  const severity = sentence(finding.severity) || "error";
  return (
    <div class={`finding ${severity}`}>
      <p><strong>{severity} {finding.code}</strong> <Text>{finding.message}</Text></p>
      {finding.why && <p><span class="key">why</span> <Text>{finding.why}</Text></p>}
      {finding.wait_graph.map((edge, index) => (
        <p key={index}><span class="key">waits</span> <Text>{`${edge.waiter} waits for ${edge.event}: ${edge.arrived} of ${edge.needed} arrived. ${edge.missing}`}</Text></p>
      ))}
      {finding.fixes.map((fix, index) => (
        <p key={index}>
          <span class="key">fix</span> <Text>{fix.title}</Text>
          {fix.edits.map((edit, at) => <code key={at} class="edit">{plain(edit.text) || "(take it away)"}</code>)}
          {sentence(fix.applicability) === "machine" && <small> cake check --fix makes it</small>}
        </p>
      ))}
    </div>
  );
}

export function SourceView(props: {source: string; findings: Diagnostic[]}) {
  const [all, showAll] = useState(false);
  const lines = props.source.replace(/\n$/, "").split("\n");
  const at = new Map<number, Diagnostic[]>();
  for (const finding of props.findings) {
    const line = finding.primary?.line ?? 0;
    at.set(line, [...(at.get(line) ?? []), finding]);
  }
  const marked = new Map<number, string[]>();
  for (const finding of props.findings) {
    for (const label of finding.labels) marked.set(label.span.line, [...(marked.get(label.span.line) ?? []), label.text]);
  }
  const shown = all ? lines.length : Math.min(lines.length, LINES_SHOWN);
  return (
    <>
      {(at.get(0) ?? []).map((finding, index) => <Finding key={index} finding={finding} />)}
      <div class="wide source-view" tabIndex={0} role="region" aria-label="source with findings">
        <table class="source">
          <tbody>
            {lines.slice(0, shown).map((text, index) => {
              const number = index + 1;
              const found = at.get(number) ?? [], labels = marked.get(number) ?? [];
              return [
                <tr key={number} id={`L${number}`} class={found.length > 0 ? "found" : ""}>
                  <th scope="row">{number}</th>
                  <td><code>{plain(text) || " "}</code>{labels.map((label, at) => <small key={at} class="label"><Text>{label}</Text></small>)}</td>
                </tr>,
                found.length > 0 && <tr key={`f${number}`} class="findings"><th aria-label={`findings of line ${number}`} /><td>{found.map((finding, at) => <Finding key={at} finding={finding} />)}</td></tr>,
              ];
            })}
          </tbody>
        </table>
      </div>
      {shown < lines.length && <p><button type="button" onClick={() => showAll(true)}>show all {lines.length} lines</button></p>}
    </>
  );
}
