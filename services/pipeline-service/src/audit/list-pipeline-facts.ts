import {
  PIPELINE_HISTORY,
  type PipelineFactView,
  type Queries,
  Refusal,
} from '@penstock/contracts';
import { FactHistory, type OrderedFact } from '@penstock/event-sourcing';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { pipelineStream } from '../domain/pipeline.decide';
import { MAX_PAGE_BYTES, positionIn } from './list-facts';

const FACTS_PER_READ = 50;

/** Lists what was decided about a pipeline, in order: its configuration, schedule, health and skipped slots. */
@Controller()
export class ListPipelineFacts {
  constructor(private readonly history: FactHistory) {}

  /** A page ends before its limit where it would become too large for an answer. */
  @Handles('ListPipelineFacts')
  async handle(
    @Payload() { context, in: { id, limit, cursor } }: RequestFor<'ListPipelineFacts'>,
  ): Promise<Queries['ListPipelineFacts']['out']> {
    const of = { object: id, owner: context.workspace };
    await this.checkExists(of);
    const page: PipelineFactView[] = [];
    let [bytes, last] = [0, ''];
    for await (const { position, ...fact } of this.from(of, positionIn(cursor) ?? 0)) {
      const view = viewOf(fact);
      bytes += Buffer.byteLength(JSON.stringify(view));
      if (page.length === limit || (page.length > 0 && bytes > MAX_PAGE_BYTES))
        return { facts: page, cursor: last };
      page.push(view);
      last = String(position);
    }
    return { facts: page, cursor: '' };
  }

  /** Health and schedules of other objects are in streams of the same form. */
  private async checkExists(of: { readonly object: string; readonly owner: string }) {
    const wanted = { ...of, types: ['PipelineCreated'], after: 0, limit: 1 };
    const [created] = await this.history.inOrder(wanted);
    if (created?.stream !== pipelineStream(of.object)) throw new Refusal('PipelineNotExist');
  }

  private async *from(
    of: { readonly object: string; readonly owner: string },
    first: number,
  ): AsyncGenerator<OrderedFact> {
    const wanted = { ...of, types: PIPELINE_HISTORY, limit: FACTS_PER_READ };
    for (let after = first; ;) {
      const found = await this.history.inOrder({ ...wanted, after });
      yield* found;
      after = found.at(-1)?.position ?? after;
      if (found.length < FACTS_PER_READ) return;
    }
  }
}

const viewOf = ({ type, time, actor, data }: Omit<OrderedFact, 'position'>): PipelineFactView => ({
  type: type as PipelineFactView['type'],
  time,
  actor,
  data: JSON.stringify(data),
});
