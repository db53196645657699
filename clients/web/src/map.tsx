// The derived map of a member: where everything of a kernel lies and who has what.
import {Facts, Table, Text} from "./parts";
import {bytes, count} from "./words";
import type {MapJson} from "./wire";

type Kernel = MapJson["kernels"][number];

function range(first: number, size: number): string {
  return `${count(first)}..${count(first + size - 1)}`;
}

/** Shared memory as a bar: each buffer where it lies. */
function SharedBar(props: {kernel: Kernel}) {
  const {shared} = props.kernel;
  if (shared.bytes === 0) return null;
  const height = 26;
  return (
    <svg class="bar" viewBox={`0 0 1000 ${height}`} preserveAspectRatio="none" role="img"
      aria-label={`shared memory: ${shared.buffers.map((one) => `${one.name} ${one.bytes * one.stages} bytes`).join(", ")}`}>
      <rect x="0" y="0" width="1000" height={height} class="free" />
      {shared.buffers.flatMap((buffer, index) => Array.from({length: buffer.stages}, (_, stage) => {
        const from = buffer.first_byte + stage * buffer.stage_distance_bytes;
        return (
          <rect key={`${buffer.name}${stage}`} class={`part-${index % 6}`} x={(1000 * from) / shared.bytes} y="0"
            width={Math.max(1, (1000 * buffer.bytes) / shared.bytes - 1)} height={height}>
            <title>{`${buffer.name} stage ${stage}: bytes ${range(from, buffer.bytes)}`}</title>
          </rect>
        );
      }))}
    </svg>
  );
}

function KernelView(props: {kernel: Kernel}) {
  const {kernel} = props;
  const launch = kernel.launch;
  const name = kernel.name;
  return (
    <div class="kernel">
      <h3>kernel <Text>{name}</Text></h3>
      <Facts facts={[
        ["grid", <code>{launch.grid}</code>],
        ["threads", `${count(launch.threads)} (${count(launch.threads / 32)} warps)`],
        ["cluster", launch.cluster > 1 ? `${launch.cluster} CTAs` : ""],
        ["CTAs an SM, by shared memory", `at most ${launch.ctas_per_sm}`],
        ["shared memory", `${bytes(kernel.shared.bytes)} of ${bytes(kernel.shared.limit_bytes)}, ${bytes(kernel.shared.padding_bytes)} padding`],
        ["named barriers", `${kernel.named_barriers.used} of ${kernel.named_barriers.limit}`],
        ["tensor memory", kernel.tmem.columns > 0 ? `${kernel.tmem.columns} of ${kernel.tmem.limit_columns} columns` : ""],
        ["runs when", launch.when],
      ]} />
      <SharedBar kernel={kernel} />
      <Table caption={`Buffers of shared memory of ${name}`} rows={kernel.shared.buffers} keyOf={(row) => row.name} columns={[
        {head: "buffer", kind: "id", cell: (row) => <Text>{row.name}</Text>},
        {head: "bytes of stage 0", kind: "number", cell: (row) => range(row.first_byte, row.bytes)},
        {head: "stages", kind: "number", cell: (row) => (row.stages > 1 ? `${row.stages} × ${bytes(row.bytes)}` : "1")},
        {head: "type", kind: "word", cell: (row) => row.type},
        {head: "form", kind: "word", cell: (row) => row.form},
        {head: "in turn with", kind: "text", cell: (row) => row.in_turn_with.join(", ")},
      ]} />
      <Table caption={`Registers of ${name}`} rows={kernel.registers} keyOf={(row) => `${row.role}${row.first_warp}`} columns={[
        {head: "role", kind: "id", cell: (row) => <Text>{row.role || "(fills up)"}</Text>},
        {head: "warps", kind: "number", cell: (row) => range(row.first_warp, row.warps)},
        {head: "registers a thread", kind: "number", cell: (row) => (row.registers > 0 ? String(row.registers) : `up to ${row.at_launch}`)},
        {head: "setmaxnreg", kind: "word", cell: (row) => row.setmaxnreg},
      ]} />
      <Table caption={`Mbarriers of ${name}`} rows={kernel.mbarriers} keyOf={(row) => row.name} columns={[
        {head: "mbarrier", kind: "id", cell: (row) => <Text>{row.name}</Text>},
        {head: "kind", kind: "word", cell: (row) => row.kind ?? ""},
        {head: "first byte", kind: "number", cell: (row) => (row.first_byte === undefined ? "" : count(row.first_byte))},
        {head: "stages", kind: "number", cell: (row) => String(row.stages ?? "")},
        {head: "arrivals a phase", kind: "number", cell: (row) => String(row.arrivals ?? "")},
      ]} />
      <Table caption={`Tensor maps of ${name}`} rows={kernel.tensor_maps} keyOf={(row) => row.name} columns={[
        {head: "tensor map", kind: "id", cell: (row) => <Text>{row.name}</Text>},
        {head: "tensor", kind: "id", cell: (row) => <Text>{row.tensor}</Text>},
        {head: "type", kind: "word", cell: (row) => row.dtype},
        {head: "box, elements", kind: "number", cell: (row) => row.box.join(" × ")},
      ]} />
    </div>
  );
}

export function MapView(props: {json: string}) {
  const map = JSON.parse(props.json) as MapJson;
  return (
    <>
      <p class="note">program <Text>{map.program}</Text>, target {map.target}, derived for {map.arch}</p>
      {map.kernels.map((kernel) => <KernelView key={kernel.name} kernel={kernel} />)}
    </>
  );
}
