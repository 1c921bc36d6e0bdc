import { columns, TEXT, type TableDefinition, UUID } from './table-definition';

/** Columns of one type whose names begin alike. */
const group = (prefix: string, type: string, ...names: readonly string[]) =>
  columns(type, ...names.map((name) => `${prefix}_${name}`));

/** The accepted events. */
export const EVENTS_TABLE: TableDefinition = {
  name: '_EVENTS',
  view: 'EVENTS',
  columns: [
    ...columns(UUID, 'PROFILE_ID'),
    ...columns(TEXT, 'CONNECTION_ID!', 'ANONYMOUS_ID!', 'MESSAGE_ID!', 'CHANNEL', 'CATEGORY'),
    ...columns(TEXT, 'EVENT', 'GROUP_ID', 'NAME', 'PREVIOUS_ID', 'USER_ID', 'TYPE!'),
    ...columns('TIMESTAMP_TZ(3)', 'RECEIVED_AT!', 'SENT_AT!', 'ORIGINAL_TIMESTAMP!', 'TIMESTAMP!'),
    ...columns('VARIANT', 'PROPERTIES', 'TRAITS!'),
    ...group('CONTEXT_APP', TEXT, 'NAME', 'VERSION', 'BUILD', 'NAMESPACE'),
    ...group('CONTEXT_BROWSER', TEXT, 'NAME', 'OTHER', 'VERSION'),
    ...group('CONTEXT_CAMPAIGN', TEXT, 'NAME', 'SOURCE', 'MEDIUM', 'TERM', 'CONTENT'),
    ...group('CONTEXT_DEVICE', TEXT, 'ID', 'ADVERTISING_ID', 'MANUFACTURER', 'MODEL', 'NAME'),
    ...group('CONTEXT_DEVICE', TEXT, 'TYPE', 'TOKEN'),
    ...group('CONTEXT_DEVICE', 'BOOLEAN', 'AD_TRACKING_ENABLED'),
    ...columns('VARCHAR(45)', 'CONTEXT_IP'),
    ...group('CONTEXT_LIBRARY', TEXT, 'NAME', 'VERSION'),
    ...group('CONTEXT', TEXT, 'LOCALE', 'TIMEZONE', 'USER_AGENT'),
    ...group('CONTEXT_LOCATION', TEXT, 'CITY', 'COUNTRY'),
    ...group('CONTEXT_LOCATION', 'FLOAT', 'LATITUDE', 'LONGITUDE', 'SPEED'),
    ...group('CONTEXT_NETWORK', 'BOOLEAN', 'BLUETOOTH', 'CELLULAR', 'WIFI'),
    ...group('CONTEXT_NETWORK', TEXT, 'CARRIER'),
    ...group('CONTEXT_OS', TEXT, 'NAME', 'OTHER', 'VERSION'),
    ...group('CONTEXT_PAGE', TEXT, 'PATH', 'REFERRER', 'SEARCH', 'TITLE', 'URL'),
    ...group('CONTEXT_REFERRER', TEXT, 'ID', 'TYPE'),
    ...group('CONTEXT_SCREEN', 'NUMBER(5,0)', 'WIDTH', 'HEIGHT'),
    ...group('CONTEXT_SCREEN', 'NUMBER(3,2)', 'DENSITY'),
    ...group('CONTEXT_SESSION', 'NUMBER(19,0)', 'ID'),
    ...group('CONTEXT_SESSION', 'BOOLEAN', 'START'),
  ],
  primaryKey: ['CONNECTION_ID', 'MESSAGE_ID'],
  staying: 'RECEIVED_AT',
};
