import { type Connector, maskSettings, type Settings } from '@penstock/connectors';
import type { ConnectionView } from '@penstock/contracts';
import type { Json, JsonObject } from '@penstock/schema';
import { jsonObject } from '../http/json-object';
import type { ConnectionMember } from '../openapi/components/connections';
import { deliveryJson } from './delivery';

/** The record of a connection. A connector that was taken out of the configuration cannot say what is secret. */
export const connectionJson = (
  view: ConnectionView,
  connector: Connector | undefined,
  settings: Settings,
): JsonObject =>
  jsonObject<ConnectionMember>({
    id: view.id,
    name: view.name,
    connector: view.connector,
    connectorType: view.connectorType,
    role: view.role,
    strategy: null,
    sendingMode: view.sendingMode,
    linkedConnections: view.linkedConnections,
    pipelines: view.pipelines,
    health: HEALTH,
    settings: connector === undefined ? jsonObject({}) : maskSettings(connector, settings),
    delivery: view.delivery === undefined ? null : deliveryJson(view.delivery),
    eventTypes: eventTypesOf(view, connector, settings),
  });

/** Nothing is known against a connection until its deliveries are watched. */
const HEALTH = jsonObject({ status: 'Healthy', since: null, message: '' });

/** Only of a destination that takes events. */
const eventTypesOf = (
  { role }: ConnectionView,
  connector: Connector | undefined,
  settings: Settings,
): Json | undefined =>
  role === 'Source'
    ? undefined
    : connector?.eventDestination
        ?.eventTypes(settings)
        .map(({ id, name, description, defaultFilter }): Json =>
          jsonObject({ id, name, description, defaultFilter }),
        );
