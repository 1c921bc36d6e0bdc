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

/** A recorded reply: the output of the command or its refusal. */
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

/** The write side of the configuration: every command is executed here. */
@Injectable()
export class Configuration {
  constructor(private readonly store: EventStore<EntityManager>) {}

  /**
   * Decides a command and records its facts and its reply, once for each command id. A refusal is recorded too, so that
   * a repeated command gets the same one, unless it is `unavailable`. A dry run is decided and appended in the same
   * way, then rolled back: neither facts nor views nor the reply stay.
   *
   * @returns the recorded reply.
   * @throws Refusal the recorded one.
   */
  async execute<Out extends object>(
    { commandId, actor, requestId, isDryRun }: RequestContext,
    decide: Decide<Out>,
  ): Promise<Recorded<Out>> {
    const cause = { commandId, actor, requestId };
    const decideAndAppend = (): Promise<StoredReply> =>
      handleCommand(this.store, cause, projectViews, async (reading) => {
        const { reply, ...decision } = await decide(reading);
        checkSize(decision.streams);
        return { ...decision, reply: { out: reply }, isDryRun };
      });
    return recorded(
      await (isDryRun === true ? decideAndAppend() : this.reply(cause, decideAndAppend)),
    );
  }

  /** Whether a command has a reply by now: appends that are under way have ended before this is answered. */
  async hasReply(commandId: string): Promise<boolean> {
    return this.store.alone(async (store) => (await store.replyTo(commandId)) !== undefined);
  }

  /** Records a refusal as the reply. */
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
