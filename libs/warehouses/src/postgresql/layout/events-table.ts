import { columns, type TableDefinition } from './table-definition';

const TYPES = ['alias', 'group', 'identify', 'page', 'screen', 'track'];

const moment = 'timestamp(3) with time zone';

/** Columns of one type whose names begin alike. */
const group = (prefix: string, type: string, ...names: readonly string[]) =>
  columns(...names.map((name) => `${prefix}_${name} ${type}`));

/** The accepted events. */
export const EVENTS_TABLE: TableDefinition = {
  name: '_events',
  view: 'events',
  columns: [
    ...columns('profile_id uuid', 'connection_id! text', 'anonymous_id! text', 'message_id! text'),
    ...columns('channel text', 'category text', 'event text', 'group_id text', 'name text'),
    ...columns('previous_id text', 'user_id text'),
    {
      ...{ name: 'type', type: 'text', required: true },
      check: `type IN (${TYPES.map((type) => `'${type}'`).join(', ')})`,
    },
    ...columns(`received_at! ${moment}`, `sent_at! ${moment}`, `original_timestamp! ${moment}`),
    ...columns(`timestamp! ${moment}`, 'properties jsonb', 'traits! jsonb'),
    ...group('context_app', 'text', 'name', 'version', 'build', 'namespace'),
    ...group('context_browser', 'text', 'name', 'other', 'version'),
    ...group('context_campaign', 'text', 'name', 'source', 'medium', 'term', 'content'),
    ...group('context_device', 'text', 'id', 'advertising_id', 'manufacturer', 'model', 'name'),
    ...group('context_device', 'text', 'type', 'token'),
    ...group('context_device', 'boolean', 'ad_tracking_enabled'),
    ...columns('context_ip inet'),
    ...group('context_library', 'text', 'name', 'version'),
    ...group('context', 'text', 'locale', 'timezone', 'user_agent'),
    ...group('context_location', 'text', 'city', 'country'),
    ...group('context_location', 'double precision', 'latitude', 'longitude', 'speed'),
    ...group('context_network', 'boolean', 'bluetooth', 'cellular', 'wifi'),
    ...group('context_network', 'text', 'carrier'),
    ...group('context_os', 'text', 'name', 'other', 'version'),
    ...group('context_page', 'text', 'path', 'referrer', 'search', 'title', 'url'),
    ...group('context_referrer', 'text', 'id', 'type'),
    ...group('context_screen', 'smallint', 'width', 'height'),
    ...group('context_screen', 'numeric(3,2)', 'density'),
    ...group('context_session', 'bigint', 'id'),
    ...group('context_session', 'boolean', 'start'),
  ],
  primaryKey: ['connection_id', 'message_id'],
  indexes: [
    ['timestamp'],
    ['profile_id', 'timestamp'],
    ['connection_id', 'user_id'],
    ['connection_id', 'anonymous_id'],
  ],
  staying: 'received_at',
};
