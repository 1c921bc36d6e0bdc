import { Connectors } from '@penstock/connectors';
import type { NewConnection } from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Configuration } from '../command-handling/configuration';
import { appendTo, load } from '../command-handling/decide-on';
import { notDeleted } from '../command-handling/existing-workspace';
import { Handles, type RequestFor } from '../command-handling/handles';
import { LimitChecks } from '../command-handling/limits';
import { outcomeOf } from '../command-handling/outcome-of';
import { DataKeys } from '../data-keys/data-keys';
import { connectionDecider, connectionStream } from '../domain/connection.decide';
import { ConnectionDeliveries } from './connection-delivery';
import { ConnectionSettings } from './connection-settings';
import { ConnectionTrials } from './connection-trials';
import { present } from './connection.checks';
import { connectorFor } from './connector-for';
import { EventConnections } from './event-connections';
import { sealedWriteKey } from './sealed-write-key';

/** Creates a connection with its links; a source that receives events gets its first write key. */
@Controller()
export class CreateConnection {
  constructor(
    private readonly configuration: Configuration,
    private readonly connectors: Connectors,
    private readonly settings: ConnectionSettings,
    private readonly deliveries: ConnectionDeliveries,
    private readonly eventConnections: EventConnections,
    private readonly dataKeys: DataKeys,
    private readonly limits: LimitChecks,
    private readonly trials: ConnectionTrials,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('CreateConnection')
  handle(@Payload() request: RequestFor<'CreateConnection'>, @Ctx() received: LogRequestContext) {
    const { id: connection, settings, role, connector } = request.in;
    const { workspace } = request.context;
    const tried = { connection, settings, role, workspace, connector };
    return this.slow.handle(request, received, async (until) =>
      this.decided(request, await outcomeOf(() => this.trials.of(tried, until))),
    );
  }

  /** @param passed throws the refusal of settings that were tried. */
  private decided({ context, in: input }: RequestFor<'CreateConnection'>, passed: () => void) {
    const { id, name, role, delivery } = input;
    const { organization, workspace } = context;
    return this.configuration.execute(context, async (reading) => {
      const connector = connectorFor(this.connectors, input.connector, role);
      this.deliveries.checkKind(delivery, connector, role);
      const given = { settings: input.settings, role, workspace };
      const settings = await this.settings.check(reading.db, connector, given);
      passed();
      this.deliveries.checkAge(delivery);
      const links = [...new Set(input.linkedConnections)];
      const others = await this.eventConnections.linkedTo(
        reading,
        input.linkedConnections,
        workspace,
        role,
      );
      const own = await load(reading, connectionDecider, connectionStream(id));
      const isSource = role === 'Source';
      const hasWriteKey = isSource && connector.eventSource !== undefined;
      const writeKey = hasWriteKey
        ? await sealedWriteKey(reading.db, this.dataKeys, input.writeKey, workspace)
        : null;
      const connection: NewConnection = {
        id,
        workspace,
        name,
        connector: connector.code,
        connectorType: connector.type,
        role,
        sendingMode: isSource ? null : (input.sendingMode ?? 'Server'),
        settings,
        ...(delivery != null && { delivery }),
      };
      const facts = connectionDecider.decide(
        { type: 'CreateConnection', connection, writeKey, links: isSource ? links : [] },
        own.state,
      );
      const link = { type: 'LinkConnections', destination: id } as const;
      const linked = isSource
        ? []
        : others.map((source) => appendTo(source, connectionDecider.decide(link, source.state)));
      return {
        streams: [appendTo(own, facts), ...linked],
        reply: { id },
        verify: async (db) => {
          await notDeleted(db, workspace);
          await present(...links)(db);
          await this.limits.oneMore(db, 'connections', organization);
        },
      };
    });
  }
}
