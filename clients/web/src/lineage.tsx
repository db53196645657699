// Who was made from whom: ancestors to the left, descendants to the right. The picture has the
// nearest candidates; the table below it has every link.
import {CandidateLink, Table, Text, Verdict} from "./parts";
import {candidatePath, go} from "./route";
import {tone, verdictWord} from "./words";
import type {Lineage, LineageLink} from "./wire";

const WIDTH = 128, HEIGHT = 40, GAP_X = 44, GAP_Y = 12, COLUMN_MAX = 12, DEPTH_MAX = 4;

interface Node { id: string; column: number; row: number; verdict: string }

/** Columns by distance from the candidate, at most so many nodes each. */
export function layout(lineage: Lineage): Map<string, Node> {
  const verdicts = new Map<string, string>();
  for (const link of lineage.links) {
    verdicts.set(link.child, link.child_verdict);
    verdicts.set(link.parent, link.parent_verdict);
  }
  const nodes = new Map<string, Node>();
  const filled = new Map<number, number>();
  const place = (id: string, column: number): boolean => {
    const row = filled.get(column) ?? 0;
    if (nodes.has(id) || row >= COLUMN_MAX) return false;
    filled.set(column, row + 1);
    nodes.set(id, {id, column, row, verdict: verdicts.get(id) ?? ""});
    return true;
  };
  place(lineage.candidate, 0);
  for (const direction of [-1, 1]) {
    let front = [lineage.candidate];
    for (let depth = 1; depth <= DEPTH_MAX && front.length > 0; ++depth) {
      const next: string[] = [];
      for (const link of lineage.links) {
        const [near, far] = direction < 0 ? [link.child, link.parent] : [link.parent, link.child];
        if (front.includes(near) && place(far, direction * depth)) next.push(far);
      }
      front = next;
    }
  }
  return nodes;
}

export function LineageView(props: {lineage: Lineage}) {
  const {lineage} = props;
  if (lineage.links.length === 0) return <p class="empty">It was made from no other candidate, and none was made from it.</p>;
  const nodes = layout(lineage);
  const columns = [...nodes.values()].map((node) => node.column);
  const left = Math.min(...columns);
  const rows = Math.max(...[...nodes.values()].map((node) => node.row)) + 1;
  const width = (Math.max(...columns) - left + 1) * (WIDTH + GAP_X) - GAP_X + 4;
  const x = (node: Node): number => (node.column - left) * (WIDTH + GAP_X) + 2;
  const y = (node: Node): number => node.row * (HEIGHT + GAP_Y) + 2;
  return (
    <>
      <div class="wide" tabIndex={0} role="region" aria-label="lineage as a picture">
        <svg class="lineage" width={width} height={rows * (HEIGHT + GAP_Y)} role="group" aria-label={`lineage of ${lineage.candidate}`}>
          {lineage.links.map((link) => {
            const from = nodes.get(link.parent), to = nodes.get(link.child);
            if (!from || !to) return null;
            return <line key={`${link.parent}${link.child}`} x1={x(from) + WIDTH} y1={y(from) + HEIGHT / 2} x2={x(to)} y2={y(to) + HEIGHT / 2} />;
          })}
          {[...nodes.values()].map((node) => (
            <a key={node.id} href={candidatePath(node.id)} class={node.id === lineage.candidate ? "own" : ""}
              onClick={(event) => { event.preventDefault(); go(candidatePath(node.id)); }}>
              <rect x={x(node)} y={y(node)} width={WIDTH} height={HEIGHT} rx="5" />
              <text x={x(node) + 8} y={y(node) + 16}>{node.id}</text>
              <text x={x(node) + 8} y={y(node) + 32} class={`small ${tone(verdictWord(node.verdict))}`}>{verdictWord(node.verdict).slice(0, 18)}</text>
            </a>
          ))}
        </svg>
      </div>
      <details>
        <summary>All {lineage.links.length} links as a table{lineage.truncated ? "; there are more" : ""}</summary>
        <Table caption="Links" rows={lineage.links} keyOf={(link: LineageLink) => `${link.parent}-${link.child}`} columns={[
          {head: "made from", kind: "id", cell: (link) => <CandidateLink id={link.parent} />},
          {head: "candidate", kind: "id", cell: (link) => <CandidateLink id={link.child} />},
          {head: "by", kind: "word", cell: (link) => <Text>{link.child_tactic || link.role}</Text>},
          {head: "verdict", kind: "word", cell: (link) => <Verdict word={link.child_verdict} />},
        ]} />
      </details>
    </>
  );
}
