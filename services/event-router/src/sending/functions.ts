import type { PipelineId } from '@penstock/contracts';
import { type CircuitState, RecordFailure } from '@penstock/transformations';
import { JsonText, type Value } from '@penstock/schema';
import type { Delivery } from '../lanes/delivery';
import type { Endings } from '../lanes/endings';
import type { CompiledPipeline } from '../routing/compiled-pipeline';
import { FunctionQueue, type FunctionQueueContext } from './function-queue';

/** The circuit of the function of one version of a pipeline. */
export interface FunctionCircuit {
  readonly pipeline: PipelineId;
  readonly version: number;
  readonly state: CircuitState;
}

/** Queues that are kept though they are idle, for the circuits of their functions. */
const MAX_IDLE = 1_000;

/** Runs the functions of pipelines; each version has a queue of its own and waits for no other. */
export class Functions {
  /** The least recently made first. */
  private readonly queues = new Map<CompiledPipeline, FunctionQueue>();

  constructor(
    private readonly endings: Endings,
    private readonly context: FunctionQueueContext,
  ) {}

  /** Queues a delivery for its function; calls `onMade` when its values are set. */
  transform(delivery: Delivery, onMade: () => void): void {
    const { pipeline, held } = delivery;
    if (pipeline.function === null) return;
    this.queue(pipeline, pipeline.function).add({
      record: held.read.event,
      isVoid: () => delivery.isDone || held.read.partition.isGone,
      onResult: (result) => {
        if (delivery.isDone || held.read.partition.isGone) return;
        const bytes = result instanceof RecordFailure ? result.message.length : bytesOf(result);
        this.endings.keepValues(delivery, bytes);
        delivery.values = result;
        delivery.stage = 'made';
        onMade();
      },
    });
  }

  /** The circuits of the functions that this process has used, with the versions of their pipelines. */
  *circuits(): Iterable<FunctionCircuit> {
    for (const { state, function: batch } of this.queues.keys())
      if (batch !== null)
        yield {
          pipeline: state.id,
          version: state.version,
          state: this.context.functions.circuitOf(batch),
        };
  }

  stop(): void {
    for (const queue of this.queues.values()) queue.stop();
  }

  private queue(
    pipeline: CompiledPipeline,
    batch: NonNullable<CompiledPipeline['function']>,
  ): FunctionQueue {
    const known = this.queues.get(pipeline);
    if (known !== undefined) return known;
    this.forgetIdle(pipeline);
    const queue = new FunctionQueue(batch, this.context);
    this.queues.set(pipeline, queue);
    return queue;
  }

  /** Forgets what has nothing to do: other versions of the pipeline, and the oldest beyond what is kept. */
  private forgetIdle({ state: { id } }: CompiledPipeline): void {
    let tooMany = this.queues.size - MAX_IDLE;
    for (const [each, queue] of this.queues) {
      if (!queue.isIdle || (each.state.id !== id && tooMany <= 0)) continue;
      this.queues.delete(each);
      tooMany -= 1;
    }
  }
}

const ENTRY_BYTES = 16;

/** An estimate of the bytes that a value takes in memory. */
const bytesOf = (value: Value | undefined): number => {
  if (typeof value === 'string') return ENTRY_BYTES + value.length;
  if (typeof value !== 'object' || value === null) return ENTRY_BYTES;
  if (value instanceof JsonText) return ENTRY_BYTES + value.text.length;
  const members: Iterable<Value | undefined> =
    value instanceof Map || Array.isArray(value) ? value.values() : Object.values(value);
  let sum = ENTRY_BYTES;
  for (const member of members) sum += bytesOf(member);
  return sum;
};
