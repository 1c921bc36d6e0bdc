import type { RawRequest } from '../harness/raw-request';
import { json, NONE } from './refusal';

/** Every endpoint of the API document, for rules that all of them share. */
export const EVERY_CALL: readonly (readonly [call: string, request: RawRequest])[] = [
  ['GET /v1/warehouse', NONE],
  ['PUT /v1/warehouse', json({ settings: {} })],
  ['PUT /v1/warehouse/test', json({ settings: {} })],
  ['PUT /v1/warehouse/mode', json({ mode: 'Normal' })],
  ['POST /v1/warehouse/repair', NONE],
  ['GET /v1/profiles/schema', NONE],
  ['PUT /v1/profiles/schema', json({ schema: {} })],
  ['PUT /v1/profiles/schema/preview', json({ schema: {} })],
  ['GET /v1/profiles/schema/latest-change', NONE],
  ['GET /v1/connections/{source}/identities', NONE],
  ['PUT /v1/pipelines/{pipeline}/status', json({ enabled: true })],
  ['PUT /v1/pipelines/{pipeline}/schedule', json({ period: null })],
  ['POST /v1/pipelines/{pipeline}/runs', NONE],
  ['GET /v1/pipelines/runs', NONE],
  ['GET /v1/pipelines/runs/nothing000000', NONE],
  ['POST /v1/pipelines/runs/nothing000000/cancel', NONE],
  ['POST /v1/pipelines/runs/nothing000000/replay', NONE],
  ['GET /v1/pipelines/runs/nothing000000/errors', NONE],
  ['GET /v1/pipelines/runs/nothing000000/history', NONE],
  ['GET /v1/pipelines/{pipeline}/history', NONE],
  ['GET /v1/pipelines/{pipeline}/metrics', NONE],
  ['GET /v1/connections/{source}/metrics', NONE],
  ['GET /v1/pipelines/deliveries', NONE],
  ['GET /v1/pipelines/deliveries/counts', NONE],
  ['GET /v1/pipelines/deliveries/nothing000000', NONE],
  ['GET /v1/events/nothing/trace', NONE],
  ['GET /v1/access-log', NONE],
  ['GET /v1/pipelines/{pipeline}/conservation', NONE],
  ['POST /v1/pipelines/{pipeline}/redrives', NONE],
  ['GET /v1/pipelines/{pipeline}/redrives', NONE],
  ['GET /v1/pipelines/{pipeline}/redrives/nothing000000', NONE],
  ['POST /v1/pipelines/{pipeline}/redrives/nothing000000/cancel', NONE],
  ['POST /v1/pipelines/{pipeline}/replays', json({})],
  ['GET /v1/pipelines/{pipeline}/replays', NONE],
  ['GET /v1/pipelines/{pipeline}/replays/nothing000000', NONE],
  ['GET /v1/pipelines/{pipeline}/replays/nothing000000/differences', NONE],
  ['GET /v1/pipelines/{pipeline}/replays/nothing000000/failures', NONE],
  ['POST /v1/pipelines/{pipeline}/replays/nothing000000/cancel', NONE],
  ['GET /v1/connections/{source}/files?path=a&format=csv', NONE],
  ['GET /v1/connections/{source}/files/sheets?path=a&format=excel', NONE],
  ['GET /v1/connections/{source}/files/absolute?path=a', NONE],
  ['POST /v1/connections/{source}/query', json({ query: 'SELECT 1' })],
  ['GET /v1/connections/{source}/tables?name=a', NONE],
  ['DELETE /v1/pipelines/{pipeline}', NONE],
  ['POST /v1/pipelines', json({})],
  ['PUT /v1/pipelines/{pipeline}', json({})],
  ['GET /v1/pipelines/{pipeline}', NONE],
  ['POST /v1/connections/{source}/links/{destination}', NONE],
  ['DELETE /v1/connections/{source}/links/{destination}', NONE],
  ['POST /v1/connections/{source}/event-write-keys', NONE],
  ['GET /v1/connections/{source}/event-write-keys', NONE],
  ['DELETE /v1/connections/{source}/event-write-keys/{writeKey}', NONE],
  ['POST /v1/connections/{destination}/preview-send-event', json({})],
  ['GET /v1/connections/{application}/users', NONE],
  ['GET /v1/connections/{application}/schemas/user', NONE],
  ['GET /v1/connections/{destination}/schemas/event', NONE],
  ['GET /v1/connections/{application}/dummy', NONE],
  ['GET /v1/pipelines', NONE],
  ['GET /v1/connections', NONE],
  ['POST /v1/connections', json({})],
  ['GET /v1/connections/{source}', NONE],
  ['GET /v1/connections/{source}/refused-events', NONE],
  ['GET /v1/connections/{source}/refused-events/counts', NONE],
  ['PUT /v1/connections/{source}', json({})],
  ['DELETE /v1/connections/{source}', NONE],
  ['GET /v1/alerts', NONE],
  ['POST /v1/alerts', json({})],
  ['GET /v1/alerts/nothing000000', NONE],
  ['PUT /v1/alerts/nothing000000', json({})],
  ['DELETE /v1/alerts/nothing000000', NONE],
  ['GET /v1/alerts/nothing000000/notifications', NONE],
  ['GET /v1/connectors', NONE],
  ['GET /v1/connectors/http', NONE],
  ['GET /v1/profiles', NONE],
  ['GET /v1/profiles/c0ffee00-0000-4000-8000-000000000001', NONE],
  ['GET /v1/profiles/c0ffee00-0000-4000-8000-000000000001/attributes', NONE],
  ['GET /v1/profiles/c0ffee00-0000-4000-8000-000000000001/identities', NONE],
  ['GET /v1/profiles/c0ffee00-0000-4000-8000-000000000001/events', NONE],
  ['GET /v1/events', NONE],
  ['GET /v1/events/schema', NONE],
  // Without what it names it would not end.
  ['GET /v1/events/live?pipeline=nothing000000', NONE],
  ['GET /v1/audit', NONE],
  ['GET /v1/audit/head', NONE],
  ['POST /v1/users/suppress', json({})],
  ['POST /v1/users/unsuppress', json({})],
  ['GET /v1/users/suppressed', NONE],
  ['GET /v1/workspaces/current', NONE],
  ['PUT /v1/workspaces/current', json({})],
  ['DELETE /v1/workspaces/current', NONE],
];

/** Calls of the organization, which need no workspace. */
export const CALLS_OF_ORGANIZATION: typeof EVERY_CALL = [
  ['GET /v1/warehouse/platforms', NONE],
  ['GET /v1/keys', NONE],
  ['POST /v1/keys', json({})],
  ['DELETE /v1/keys/nothing000000', NONE],
  ['GET /v1/workspaces', NONE],
  ['POST /v1/workspaces', json({})],
];

/** Calls that a disabled organization may make too. */
export const EVEN_DISABLED: typeof EVERY_CALL = [
  ['GET /v1/organization', NONE],
  ['PUT /v1/organization/status', json({ enabled: true })],
];

const ADMIN = /^(?!GET)\w+ \/v1\/(keys|organization|warehouse|workspaces)(\/|$)/;

/** The scope that a call needs. Source: rulings on scopes; the inspection of the test application needs `write`. */
export const scopeOf = (call: string): 'read' | 'write' | 'admin' => {
  if (ADMIN.test(call) || call === 'GET /v1/access-log') return 'admin';
  const isRead = call.startsWith('GET') || /\/preview(-send-event)?$/.test(call);
  return isRead && !call.endsWith('/dummy') ? 'read' : 'write';
};
