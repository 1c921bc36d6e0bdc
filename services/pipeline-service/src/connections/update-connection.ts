import { Connectors } from '@penstock/connectors';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo } from '../command-handling/decide-on';
import { Handles, type RequestFor } from '../command-handling/handles';
import { connectionDecider } from '../domain/connection.decide';
import { ConnectionDeliveries } from './connection-delivery';
import { ConnectionSettings } from './connection-settings';
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
  ) {}

  @Handles('UpdateConnection')
  handle(@Payload() { context, in: input }: RequestFor<'UpdateConnection'>) {
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
      this.deliveries.checkAge(delivery);
      const change = { name, settings, ...(delivery !== undefined && { delivery }) };
      const facts = connectionDecider.decide({ type: 'UpdateConnection', ...change }, own.state);
      return { streams: [appendTo(own, facts)], reply: {} };
    });
  }
}
