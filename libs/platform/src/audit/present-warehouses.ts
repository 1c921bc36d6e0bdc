import { settingsOfUrl, type WarehouseSettings, type Warehouses } from '@penstock/warehouses';

/** By what the warehouse in an embedded database is known, wherever its server listens. */
const PLACE = ['host', 'database', 'schema'];

/** The URL of an embedded server as that of a warehouse in it, without how else the server is reached. */
export const embeddedWarehouseOf = (databaseUrl: string): string => {
  const url = new URL(databaseUrl);
  url.search = '';
  return url.href;
};

/**
 * Warehouses where they are now: the port of an embedded database changes with each start, and an installation that does not run
 * has the former one in its settings.
 *
 * @param embeddedUrl of the warehouse in the embedded database; absent: there is none.
 */
export const presentWarehouses = (
  warehouses: Pick<Warehouses, 'get'>,
  embeddedUrl: string | undefined,
): Pick<Warehouses, 'get'> => {
  if (embeddedUrl === undefined) return warehouses;
  const embedded = settingsOfUrl(embeddedUrl);
  const port = embedded.get('port');
  const present = (settings: WarehouseSettings): WarehouseSettings => {
    const isEmbedded = PLACE.every((name) => settings.get(name) === embedded.get(name));
    return isEmbedded && port !== undefined ? new Map([...settings, ['port', port]]) : settings;
  };
  return {
    get: (name) => {
      const platform = warehouses.get(name);
      return (
        platform && {
          ...platform,
          openReader: (settings, ...others) => platform.openReader(present(settings), ...others),
        }
      );
    },
  };
};
