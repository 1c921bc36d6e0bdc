import { newRecord, type RecordValue } from '@penstock/schema';
import {
  type FunctionBatch,
  type FunctionResult,
  RecordFailure,
  SandboxUnavailable,
} from '@penstock/transformations';
import { CRASHING, FAILING, kindOf } from './odd-messages.fixture';
import type { ProcessClock } from './process-clock.fixture';
import type { Simulation } from './simulation.fixture';

/** Faults of the sandboxes of a simulation. */
export interface SandboxFaults {
  /** Probability that no sandbox is available for a batch. */
  unavailable: number;
  maxDelayMs: number;
}

const transformed = (record: RecordValue): RecordValue | RecordFailure => {
  const messageId = record['messageId'] as string;
  if (kindOf(messageId) === FAILING) return new RecordFailure('Transformation', 'cannot');
  return Object.assign(newRecord(), { properties: messageId });
};

/** The sandbox of one process: its results contain the message id of the event. */
export class SimulatedFunctions {
  constructor(
    private readonly simulation: Simulation,
    private readonly clock: ProcessClock,
    private readonly faults: SandboxFaults,
  ) {}

  run(_: FunctionBatch, records: readonly RecordValue[]): Promise<FunctionResult> {
    return this.clock.reach(this.answer(records));
  }

  circuitOf(): 'unknown' {
    return 'unknown';
  }

  private async answer(records: readonly RecordValue[]): Promise<FunctionResult> {
    const { simulation, faults } = this;
    await simulation.sleep(simulation.between(1, faults.maxDelayMs));
    if (simulation.chance(faults.unavailable)) throw new SandboxUnavailable('no sandbox');
    if (records.some(({ messageId }) => kindOf(messageId as string) === CRASHING))
      throw new Error('the simulated sandbox crashes');
    return { records: records.map(transformed), console: '' };
  }
}
