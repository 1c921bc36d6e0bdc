import { type Recorded, Refusal, type RequestContext } from '@penstock/contracts';
import {
  type Cause,
  type Decision,
  EventStore,
  handleCommand,
  type Reading,
  type StoredReply,
} from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { projectViews } from '../read-model/project-views';
import { checkSize } from './check-size';

type Decide<Out> = (
  reading: Reading<EntityManager>,
) => Promise<Decision<EntityManager> & { readonly reply: Out }>;

/** A recorded reply: what the command gave, or the rule that said no. */
type Reply<Out> =
  | { readonly out: Out }
  | { readonly refused: Pick<Refusal, 'code' | 'message' | 'kind' | 'details'> };

const noViews = (): Promise<void> => Promise.resolve();

const recorded = <Out>({ position, reply }: StoredReply): Recorded<Out> => {
  const answer = reply as Reply<Out>;
  if ('out' in answer) return { position, out: answer.out };
  const { code, ...details } = answer.refused;
  throw new Refusal(code, details);
};

/** The write side of the configuration: every change goes through here. */
@Injectable()
export class Configuration {
  constructor(private readonly store: EventStore<EntityManager>) {}

  /**
   * Decides and records, once for each command id. A refusal is recorded too: whoever was told no can rely on
   * it, even when the command is delivered once more. That something is away is no decision. A dry run is decided and
   * appended in the same way, and undone; of it neither facts nor views nor the reply stay.
   *
   * @returns the reply of the first time.
   * @throws Refusal of the first time.
   */
  async execute<Out extends object>(
    { commandId, actor, requestId, isDryRun }: RequestContext,
    decide: Decide<Out>,
  ): Promise<Recorded<Out>> {
    const cause = { commandId, actor, requestId };
    const tried = (): Promise<StoredReply> =>
      handleCommand(this.store, cause, projectViews, async (reading) => {
        const { reply, ...decision } = await decide(reading);
        checkSize(decision.streams);
        return { ...decision, reply: { out: reply }, isDryRun };
      });
    return recorded(await (isDryRun === true ? tried() : this.reply(cause, tried)));
  }

  /** Records the refusal too. */
  private async reply(cause: Cause, decided: () => Promise<StoredReply>): Promise<StoredReply> {
    try {
      return await decided();
    } catch (error) {
      if (!(error instanceof Refusal) || error.kind === 'unavailable') throw error;
      const { code, message, kind, details } = error;
      const reply = { refused: { code, message, kind, details } };
      return this.store.append({ streams: [], cause, reply, project: noViews });
    }
  }
}
