import { WAREHOUSE_MODES, type WarehouseView } from '@penstock/contracts';
import type { Plain } from '@penstock/settings';
import { createWarehouses } from '@penstock/warehouses';
import {
  closedObject,
  described,
  type JsonSchema,
  object,
  oneOf,
  orNull,
  ref,
  TEXT,
} from '../schema/json-schema';
import { list, withExample } from './answer';

/** A setting as its form describes it: the notation of types, plus the members that only settings have. */
interface Described {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly type: Readonly<Record<string, Plain>>;
}

/** The settings of each platform; they do not depend on the addresses that connections are allowed to. */
const PLATFORMS = createWarehouses({ allow: [] }).list.map(({ name, settings: { type } }) => ({
  name,
  settings: type['properties'] as unknown as readonly Described[],
}));

/**
 * Schema of a setting. It accepts at least what the form accepts; a form may have rules that JSON Schema cannot
 * express.
 */
const valueOf = ({ kind, values, ...rules }: Described['type']): JsonSchema => ({
  type: kind === 'int' ? 'integer' : 'string',
  ...(values !== undefined && { enum: values }),
  ...Object.fromEntries(Object.entries(rules).filter(([name]) => name !== 'bitSize')),
});

const members = (
  settings: readonly Described[],
  isRequired: boolean,
  nameOf: (name: string) => string,
): Record<string, JsonSchema> =>
  Object.fromEntries(
    settings
      .filter(({ required }) => required === isRequired)
      .map(({ name, type, description }) => [nameOf(name), described(valueOf(type), description)]),
  );

const asGiven = (name: string): string => name;
const asShown = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Components for the settings: one for each platform, and one that accepts any of them. */
const settingsOf = (
  name: string,
  description: string,
  make: typeof object,
  nameOf: (name: string) => string,
): Record<string, JsonSchema> => ({
  [name]: {
    description,
    oneOf: PLATFORMS.map((platform) => ref(`${platform.name}${name}`)),
  },
  ...Object.fromEntries(
    PLATFORMS.map(({ name: platform, settings }) => [
      `${platform}${name}`,
      make(members(settings, true, nameOf), members(settings, false, nameOf)),
    ]),
  ),
});

/** Members of a warehouse in answers. */
export type WarehouseMember = Exclude<keyof WarehouseView, 'version'>;

const PLATFORM = withExample(object({ name: TEXT }), { name: 'PostgreSQL' });

export const WAREHOUSES: Readonly<Record<string, JsonSchema>> = {
  ...settingsOf('WarehouseSettings', 'Settings of the platform.', closedObject, asGiven),
  ...settingsOf(
    'ShownWarehouseSettings',
    'Settings of the platform, with initial capitals. Passwords are shown only to keys of scope `admin`.',
    object,
    asShown,
  ),
  Warehouse: withExample(
    object<WarehouseMember>({
      platform: TEXT,
      settings: ref('ShownWarehouseSettings'),
      mcpSettings: orNull(described(ref('ShownWarehouseSettings'), 'Null: not configured.')),
      mode: oneOf(WAREHOUSE_MODES),
    }),
    {
      platform: 'PostgreSQL',
      settings: {
        Host: 'db.example.com',
        Port: 5432,
        Username: 'penstock',
        Password: '••••3f9a',
        Database: 'warehouse',
        Schema: 'public',
      },
      mcpSettings: null,
      mode: 'Normal',
    },
  ),
  WarehousePlatform: PLATFORM,
  WarehousePlatformList: list('platforms', 'WarehousePlatform', PLATFORM),
};
