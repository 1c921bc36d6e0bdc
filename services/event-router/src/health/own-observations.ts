import type { ConnectionId, HealthCode, HealthSubject, PipelineId } from '@penstock/contracts';
import type { RejectionRates } from '../progress/rejection-rates';
import type { FunctionCircuit } from '../sending/functions';
import { workspaceOfWarehouse } from '../store/lane-id';
import type { Observation } from '../store/router-store';
import type { Clock } from '../time/clock';
import { LaneCodes, type ObservedLane } from './lane-codes';

export interface ObservedProcess {
  readonly clock: Clock;
  readonly lanes: Iterable<ObservedLane> & { readonly circuits: Iterable<FunctionCircuit> };
  readonly rejections: Pick<RejectionRates, 'look'>;
  /** The newest version of a pipeline; undefined: it was deleted. */
  readonly versionOf: (pipeline: PipelineId) => number | undefined;
  /** The code that is recorded of an object; empty: it is healthy. */
  readonly recordedOf: (id: string) => HealthCode;
}

const keyOf = (subject: HealthSubject, id: string): string => `${subject} ${id}`;

/** What this process observes of the destinations and pipelines that it works for. */
export class OwnObservations {
  private readonly lanes = new LaneCodes();
  private last: ReadonlyMap<string, Observation> = new Map();

  constructor(private readonly process: ObservedProcess) {}

  /** All troubles, and what works again although a trouble is recorded of it. */
  look(): readonly Observation[] {
    const found = new Map<string, Observation>();
    const note = (subject: HealthSubject, id: Observation['id'], code: HealthCode): void => {
      if (code === '' && this.process.recordedOf(id) === '') return;
      const key = keyOf(subject, id);
      const last = this.last.get(key);
      const sinceMs = last?.code === code ? last.sinceMs : this.process.clock.wallMs();
      found.set(key, { subject, id, code, sinceMs });
    };
    const nowMs = this.process.clock.nowMs();
    for (const lane of this.process.lanes) {
      const code = this.lanes.of(lane, nowMs);
      const { destination } = lane;
      // The health of a warehouse is not recorded: it is no connection.
      if (code !== undefined && workspaceOfWarehouse(destination) === undefined)
        note('connection', destination as ConnectionId, code);
    }
    for (const [pipeline, areMany] of this.process.rejections.look())
      note('pipeline', pipeline, areMany ? 'ManyRejected' : '');
    for (const { pipeline, state } of this.circuits())
      if (state === 'open') note('pipeline', pipeline, 'FunctionTimesOut');
      else if (state === 'closed' && this.process.recordedOf(pipeline) === 'FunctionTimesOut')
        note('pipeline', pipeline, found.get(keyOf('pipeline', pipeline))?.code ?? '');
    this.last = found;
    return [...found.values()];
  }

  /** Of the newest versions: what still waits for an older one says nothing about the pipeline as it is. */
  private *circuits(): Iterable<FunctionCircuit> {
    for (const circuit of this.process.lanes.circuits)
      if (this.process.versionOf(circuit.pipeline) === circuit.version) yield circuit;
  }
}
