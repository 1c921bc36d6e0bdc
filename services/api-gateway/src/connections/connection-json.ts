import { type Connector, maskSettings, type Settings } from '@penstock/connectors';
import type { ConnectionView } from '@penstock/contracts';
import type { Json, JsonObject } from '@penstock/schema';
import { jsonObject } from '../http/json-object';
import { healthJson } from '../health/health-json';
import type { ConnectionMember } from '../openapi/components/connections';
import { deliveryJson } from './delivery';

/** Converts a connection for an answer. Without its connector, which knows the secrets, no settings are shown. */
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
    health: healthJson(view.health),
    settings: connector === undefined ? jsonObject({}) : maskSettings(connector, settings),
    delivery: view.delivery === undefined ? null : deliveryJson(view.delivery),
    eventTypes: eventTypesOf(view, connector, settings),
  });

/**
 * The answer to a GET as a PUT may send it back: `null` as the sending mode of a destination means `Server` there too,
 * as it does when the connection is created.
 */
export const asSentBack = (shown: JsonObject, sentBack: JsonObject): JsonObject =>
  shown.get('role') === 'Destination' && sentBack.get('sendingMode') === null
    ? new Map([...shown, ['sendingMode', null]])
    : shown;

/** Lists event types; only a destination for events has any. */
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
