import { Connectors } from '@penstock/connectors';
import { EventStore } from '@penstock/event-sourcing';
import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import type { EntityManager } from 'typeorm';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { outcomeOf } from '../command-handling/outcome-of';
import { connectionDecider } from '../domain/connection.decide';
import { ConnectionDeliveries } from './connection-delivery';
import { ConnectionSettings } from './connection-settings';
import { ConnectionTrials } from './connection-trials';
import { connectorFor } from './connector-for';
import { existingConnection } from './existing-connection';

/**
 * Changes name, settings and delivery of a connection. Its connector is needed only for settings and for a delivery.
 */
@Controller()
export class UpdateConnection {
  constructor(
    private readonly configuration: Configuration,
    private readonly connectors: Connectors,
    private readonly settings: ConnectionSettings,
    private readonly deliveries: ConnectionDeliveries,
    private readonly store: EventStore<EntityManager>,
    private readonly trials: ConnectionTrials,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('UpdateConnection')
  handle(@Payload() request: RequestFor<'UpdateConnection'>, @Ctx() received: LogRequestContext) {
    return this.slow.handle(request, received, async (until) =>
      this.decided(request, await outcomeOf(() => this.tried(request, until))),
    );
  }

  private async tried(
    { context, in: { id, settings } }: RequestFor<'UpdateConnection'>,
    until: AbortSignal,
  ): Promise<void> {
    if (settings === undefined) return;
    const { connection } = await existingConnection(this.store, id, context);
    const { connector, role, workspace, settings: present } = connection;
    const tried = { connection: connection.id, connector, role, workspace, settings, present };
    await this.trials.of(tried, until);
  }

  /** @param passed throws the refusal of settings that were tried, and of a connection that is not there. */
  private decided({ context, in: input }: RequestFor<'UpdateConnection'>, passed: () => void) {
    const { id, name, delivery } = input;
    return this.configuration.execute(context, async (reading) => {
      const own = await existingConnection(reading, id, context);
      const { connector: code, role, workspace, settings: before } = own.connection;
      const connector = () => connectorFor(this.connectors, code, role);
      if (delivery != null) this.deliveries.checkKind(delivery, connector(), role);
      const given =
        input.settings === undefined ? undefined : { settings: input.settings, role, workspace };
      const settings =
        given === undefined
          ? before
          : await this.settings.check(reading.db, connector(), given, before);
      passed();
      this.deliveries.checkAge(delivery);
      const change = { name, settings, ...(delivery !== undefined && { delivery }) };
      const facts = connectionDecider.decide({ type: 'UpdateConnection', ...change }, own.state);
      return { streams: [appendTo(own, facts)], reply: {} };
    });
  }
}
