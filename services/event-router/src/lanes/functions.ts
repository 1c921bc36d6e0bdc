import type { FunctionBatch } from '@penstock/transformations';
import type { CompiledPipeline } from '../route/compiled-pipeline';
import { type Delivery, needsFunction } from './delivery';
import { FunctionQueue, type FunctionQueueContext } from './function-queue';
import type { FunctionResults } from './function-results';
import type { KeyQueue } from './key-queue';

/** Deliveries of one key that are with their functions before the first of them is sent. */
const MAX_AHEAD = 100;

/** The functions of all pipelines, each version with a queue of its own: none waits for another. */
export class Functions {
  private readonly queues = new Map<CompiledPipeline, FunctionQueue>();

  constructor(
    private readonly results: FunctionResults,
    private readonly isDeleted: (delivery: Delivery) => boolean,
    private readonly context: FunctionQueueContext,
  ) {}

  /**
   * Has the next deliveries of a key transformed, as far as they need it. `onResult` is called for each. Those that
   * can no longer be made do not wait.
   */
  transformAhead({ front }: KeyQueue, onResult: () => void): void {
    for (const delivery of front.slice(0, MAX_AHEAD).filter(needsFunction))
      if (this.isDeleted(delivery)) delivery.values = null;
      else if (!delivery.isTransforming) this.transform(delivery, onResult);
  }

  stop(): void {
    for (const queue of this.queues.values()) queue.stop();
  }

  private transform(delivery: Delivery, onResult: () => void): void {
    const { pipeline, partition, event } = delivery;
    if (pipeline.function === null) return;
    delivery.isTransforming = true;
    this.queue(pipeline, pipeline.function).add({
      record: event,
      isVoid: () => delivery.isDone || partition.isLost,
      onResult: (result) => {
        delivery.isTransforming = false;
        if (!delivery.isDone && !partition.isLost) this.results.keep(delivery, result);
        onResult();
      },
    });
  }

  private queue(pipeline: CompiledPipeline, batch: FunctionBatch): FunctionQueue {
    const queue = this.queues.get(pipeline) ?? new FunctionQueue(batch, this.context);
    this.queues.set(pipeline, queue);
    return queue;
  }
}
