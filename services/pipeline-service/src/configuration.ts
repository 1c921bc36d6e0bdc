import type { Recorded, RequestContext } from '@penstock/contracts';
import {
  type Decision,
  type EventStore,
  handleCommand,
  type ReadStream,
} from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { projectViews } from './project-views';

/** The write side of the configuration: every change goes through here. */
export class Configuration {
  constructor(private readonly store: EventStore<EntityManager>) {}

  /**
   * Decides and records, once for each command id.
   *
   * @returns the reply of the first time.
   */
  async change<Out extends object>(
    { commandId, actor, requestId, time }: RequestContext,
    decide: (read: ReadStream) => Promise<Decision<EntityManager> & { readonly reply: Out }>,
  ): Promise<Recorded<Out>> {
    const { position, reply } = await handleCommand(
      this.store,
      { commandId, actor, requestId, time },
      projectViews,
      decide,
    );
    return { position, out: reply as Out };
  }
}
