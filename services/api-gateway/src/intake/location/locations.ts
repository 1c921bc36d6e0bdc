import { readFile } from 'node:fs/promises';
import { ConfigurationError, type Logger } from '@penstock/runtime';
import { type CityResponse, Reader } from 'mmdb-lib';
import { BoundedCache } from '../../cache/bounded-cache';
import { type Leaf, leafOf, textOf } from '../event/leaf';
import type { Location } from '../event/sender';

/** Size of the cache: visitors send several events each. At most twice as many addresses are kept. */
const REMEMBERED = 20_000;

/** Version of the format. Source: MaxMind DB File Format Specification 2.0. */
const FORMAT_VERSION = 2;

/** Types of databases that contain cities, such as `GeoLite2-City` and `GeoIP2-Enterprise`. */
const KNOWS_CITIES = /City|Enterprise/;

/** The location of an unknown address. */
const NOWHERE: Location = {};

const nameLeaf = (name: unknown): Leaf | undefined =>
  typeof name === 'string' && name !== '' && !name.includes('\0')
    ? leafOf(name.normalize('NFC'))
    : undefined;

const degreesLeaf = (degrees: unknown): Leaf | undefined =>
  typeof degrees === 'number' && Number.isFinite(degrees)
    ? String(degrees === 0 ? 0 : degrees)
    : undefined;

/** A record of the database; members are checked, since a file may contain anything. */
interface Found {
  readonly city?: Named;
  readonly country?: Named;
  readonly location?: { readonly latitude?: unknown; readonly longitude?: unknown };
}

interface Named {
  readonly names?: { readonly en?: unknown };
}

const locationIn = ({ city, country, location }: Found): Location => ({
  city: nameLeaf(city?.names?.en),
  country: nameLeaf(country?.names?.en),
  latitude: degreesLeaf(location?.latitude),
  longitude: degreesLeaf(location?.longitude),
});

const readerOf = (database: Buffer): Reader<CityResponse> | undefined => {
  try {
    return new Reader<CityResponse>(database);
  } catch {
    return undefined;
  }
};

const isComplete = ({ metadata }: Reader<CityResponse>, bytes: number): boolean =>
  metadata.binaryFormatMajorVersion === FORMAT_VERSION && metadata.searchTreeSize < bytes;

const refused = (expected: string): ConfigurationError =>
  new ConfigurationError([`PENSTOCK_GEOIP must name ${expected}`]);

/** Finds the locations of addresses in a MaxMind database of cities, which is read into memory once. */
export class Locations {
  private readonly remembered = new BoundedCache<Leaf, Location>(REMEMBERED);
  private hasFailed = false;

  private constructor(
    private readonly reader: Reader<CityResponse>,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /**
   * Reads the file that the configuration names.
   *
   * @throws ConfigurationError naming the variable, when the file cannot be read or is not a complete database of
   *   cities.
   */
  static async open(file: string, logger: Pick<Logger, 'warn'>): Promise<Locations> {
    const database = await readFile(file).catch(() => {
      throw refused('a readable file');
    });
    const reader = readerOf(database);
    if (reader === undefined || !isComplete(reader, database.length))
      throw refused('a complete MaxMind database file');
    const { databaseType } = reader.metadata;
    if (!KNOWS_CITIES.test(databaseType))
      throw refused(`a database of cities, not ${databaseType}`);
    return new Locations(reader, logger);
  }

  /** Finds the location of an address; empty when it is unknown. @param address in its recorded form. */
  of(address: Leaf): Location {
    const known = this.remembered.get(address);
    if (known !== undefined) return known;
    const location = this.lookUp(textOf(address));
    this.remembered.set(address, location);
    return location;
  }

  private lookUp(address: string): Location {
    if (this.reader.metadata.ipVersion === 4 && address.includes(':')) return NOWHERE;
    try {
      const found = this.reader.get(address);
      return found === null ? NOWHERE : locationIn(found);
    } catch (err) {
      if (!this.hasFailed)
        this.logger.warn(
          { err },
          'the file of PENSTOCK_GEOIP is damaged: some locations are left out',
        );
      this.hasFailed = true;
      return NOWHERE;
    }
  }
}
