import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error';

/** The npm package that holds PostgreSQL's binaries for one platform. */
export interface NativePackage {
  readonly root: string;
  readonly version: string;
  readonly major: number;
}

/** @throws EmbeddedPostgresError `UnsupportedPlatform` when no such package is installed. */
export const findNativePackage = (platform: string, arch: string): NativePackage => {
  const name = `@embedded-postgres/${platform}-${arch}`;
  try {
    const root = dirname(dirname(require.resolve(name)));
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      version: string;
    };
    return { root, version, major: Number.parseInt(version, 10) };
  } catch (cause) {
    throw new EmbeddedPostgresError(
      'UnsupportedPlatform',
      `no embedded PostgreSQL for ${platform} ${arch} (package ${name} is not installed): set DATABASE_URL to a PostgreSQL server`,
      { cause },
    );
  }
};

/** A link of a shared library to its versioned file; paths are relative to the package. */
export interface LibraryLink {
  readonly source: string;
  readonly target: string;
}

/** The links that npm packages cannot contain and the package's install script creates. Some platforms have none. */
export const libraryLinks = (root: string): readonly LibraryLink[] => {
  const list = join(root, 'native', 'pg-symlinks.json');
  return existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as LibraryLink[]) : [];
};
