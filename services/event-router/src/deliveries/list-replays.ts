import { type Queries, Refusal, type ReplayView } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { type ReplayPlace, Replays } from '../replays/replays';
import { StoreTurns } from './store-turns';

const FORM = /^([0-9a-z]{1,9})-([A-Za-z0-9_-]{12,26})$/;

/** @throws Refusal BadRequest for a text that is not a cursor of the list. */
const placeIn = (cursor: string): ReplayPlace | undefined => {
  if (cursor === '') return undefined;
  const [, time, id] = FORM.exec(cursor) ?? [];
  if (time !== undefined && id !== undefined) return { createdMs: parseInt(time, 36), id };
  const details = [{ path: '/cursor', message: 'must be a cursor that a list has answered' }];
  throw new Refusal('BadRequest', { details });
};

const cursorAt = ({ createdAt, id }: ReplayView): string =>
  `${Date.parse(createdAt).toString(36)}-${id}`;

/** Lists the replays of a pipeline. */
@Controller()
export class ListReplays {
  constructor(
    private readonly replays: Replays,
    private readonly turns: StoreTurns,
  ) {}

  @Handles('ListReplays')
  async handle(
    @Payload() request: RequestFor<'ListReplays'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['ListReplays']['out']> {
    const { pipeline, limit, cursor } = request.in;
    const after = placeIn(cursor);
    const found = await this.turns.take(request, context, () =>
      this.replays.list(request.context.workspace, pipeline, { limit: limit + 1, after }),
    );
    const replays = found.slice(0, limit);
    const last = replays.at(-1);
    return {
      replays,
      cursor: replays.length < found.length && last !== undefined ? cursorAt(last) : '',
    };
  }
}
