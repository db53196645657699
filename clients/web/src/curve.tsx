// The best so far over charged evaluations. The picture is a canvas; the same figures are a table.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import {useEffect, useRef} from "preact/hooks";
import {CandidateLink, Source, Table, Verdict} from "./parts";
import {bare, binding, count, duration, ratio, whole} from "./words";
import type {Curve, CurvePoint} from "./wire";

const HEIGHT_PX = 260;
const PALETTE = ["--line-a", "--line-b", "--line-c", "--line-d", "--line-e", "--line-f", "--line-g", "--line-h"];

const color = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export const figure = (value: number, unit: Curve["unit"]): string => (unit === "ns" ? duration(value) : ratio(value));

export function unitWords(unit: Curve["unit"]): string {
  return unit === "ns" ? "predicted time, lower is better" : "baseline time / candidate time, higher is better";
}

function axes(unit: Curve["unit"]): uPlot.Axis[] {
  const stroke = color("--ink"), grid = {stroke: color("--rule"), width: 1};
  return [
    {stroke, grid, label: "charged evaluations", labelSize: 22, size: 34},
    {stroke, grid, label: unit === "ns" ? "predicted time" : "baseline / candidate", labelSize: 22, size: 78, values: (_, ticks) => ticks.map((tick) => figure(tick, unit))},
  ];
}

function Plot(props: {options: Omit<uPlot.Options, "width" | "height">; data: uPlot.AlignedData; label: string}) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const draw = (): uPlot => new uPlot({...props.options, width: Math.max(280, element.clientWidth), height: HEIGHT_PX},
      props.data, element);
    let plot = draw();
    const again = (): void => {
      plot.destroy();
      plot = draw();
    };
    const resized = (): void => plot.setSize({width: Math.max(280, element.clientWidth), height: HEIGHT_PX});
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", again);
    addEventListener("resize", resized);
    return () => {
      dark.removeEventListener("change", again);
      removeEventListener("resize", resized);
      plot.destroy();
    };
  }, [props.data, props.options]);
  return <div ref={box} class="plot" role="img" aria-label={props.label} />;
}

const orNull = (value: number): number | null => (value > 0 ? value : null);

/** The points at which the best changes, newest first. */
export function steps(points: CurvePoint[]): CurvePoint[] {
  return points.filter((point, index) => point.best > 0 && point.best !== points[index - 1]?.best).reverse();
}

export function BestSoFar(props: {curve: Curve}) {
  const {curve} = props;
  if (curve.points.length === 0) return <p class="empty">No evaluation has been charged yet: the curve begins with the first.</p>;
  const data: uPlot.AlignedData = [
    curve.points.map((point) => whole(point.evaluations)),
    curve.points.map((point) => orNull(point.best)),
    curve.points.map((point) => orNull(point.value)),
  ];
  const options: Omit<uPlot.Options, "width" | "height"> = {
    scales: {x: {time: false}},
    axes: axes(curve.unit),
    legend: {live: false},
    series: [
      {label: "charged evaluations"},
      {label: "best so far", stroke: color("--line-a"), width: 2, paths: uPlot.paths.stepped?.({align: 1}), points: {show: false}},
      {label: "this evaluation", stroke: color("--line-b"), paths: () => null, points: {show: true, size: 4}},
    ],
  };
  const last = curve.points[curve.points.length - 1];
  const said = last && last.best > 0 ? figure(last.best, curve.unit) : "none yet";
  return (
    <>
      <p class="note">
        <Source source={curve.objective_source} simulated={curve.simulated} /> {unitWords(curve.unit)}; {count(curve.evaluations)} evaluations
        {whole(curve.evaluations) > curve.points.length ? `, ${curve.points.length} of them drawn` : ""}.
      </p>
      <Plot options={options} data={data} label={`Best so far over ${count(curve.evaluations)} charged evaluations: ${said}`} />
      <details>
        <summary>The steps of the curve as a table</summary>
        <Table caption="Steps of the best so far" rows={steps(curve.points)} keyOf={(point) => String(point.evaluations)}
          empty="No candidate has become the best yet."
          columns={[
            {head: "after evaluations", kind: "number", cell: (point) => count(point.evaluations)},
            {head: "candidate", kind: "id", cell: (point) => <CandidateLink id={point.candidate} />},
            {head: "member", kind: "text", cell: (point) => binding(point.binding)},
            {head: "verdict", kind: "word", cell: (point) => <Verdict word={point.verdict} />},
            {head: "best so far", kind: "number", cell: (point) => figure(point.best, curve.unit)},
            {head: "interval", kind: "number", cell: (point) => (point.low > 0 ? `${ratio(point.low)} to ${ratio(point.high)}` : "")},
          ]} />
      </details>
    </>
  );
}

/** Best so far of several runs of one objective; runs of another are left to a picture of their own. */
export function Overlay(props: {curves: Curve[]}) {
  const groups = new Map<string, Curve[]>();
  for (const curve of props.curves.filter((one) => one.points.length > 0)) {
    const key = bare(curve.objective_source);
    groups.set(key, [...(groups.get(key) ?? []), curve]);
  }
  if (groups.size === 0) return <p class="empty">No run has a charged evaluation yet.</p>;
  return <>{[...groups].map(([key, curves]) => <OneOverlay key={key} curves={curves} />)}</>;
}

function OneOverlay(props: {curves: Curve[]}) {
  const first = props.curves[0];
  if (!first) return null;
  const xs = [...new Set(props.curves.flatMap((curve) => curve.points.map((point) => whole(point.evaluations))))].sort((a, b) => a - b);
  const series = props.curves.map((curve) => {
    const at = new Map(curve.points.map((point) => [whole(point.evaluations), point.best]));
    const end = whole(curve.points[curve.points.length - 1]?.evaluations);
    let best = 0;
    return xs.map((x) => {
      best = at.get(x) ?? best;
      return x <= end ? orNull(best) : null;
    });
  });
  const options: Omit<uPlot.Options, "width" | "height"> = {
    scales: {x: {time: false}},
    axes: axes(first.unit),
    legend: {live: false},
    series: [{label: "charged evaluations"}, ...props.curves.map((curve, index) => ({
      label: curve.run, stroke: color(PALETTE[index % PALETTE.length] ?? "--line-a"), width: 2,
      paths: uPlot.paths.stepped?.({align: 1}), points: {show: false},
    }))],
  };
  return (
    <>
      <p class="note"><Source source={first.objective_source} simulated={props.curves.some((one) => one.simulated)} /> {unitWords(first.unit)}.</p>
      <Plot options={options} data={[xs, ...series]} label={`Best so far of ${props.curves.length} runs: ${props.curves.map((one) => one.run).join(", ")}`} />
    </>
  );
}
