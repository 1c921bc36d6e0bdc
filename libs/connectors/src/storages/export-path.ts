import { FileFault } from '@penstock/files';

/** What may stand in a path that files are written to, by the moment at which the writing began. */
const PLACEHOLDERS: Readonly<Record<string, (at: Date) => string>> = {
  today: (at) => at.toISOString().slice(0, 10),
  now: (at) => at.toISOString().slice(0, 19).replace(/[T:]/g, '-'),
  unix: (at) => String(Math.floor(at.getTime() / 1_000)),
};

/**
 * The path with its placeholders replaced: `${today}` (`2025-01-31`), `${now}` (`2025-01-31-09-30-00`) and `${unix}`
 * (seconds), in any case and in UTC.
 *
 * @throws FileFault InvalidPlaceholder for others, and for one without an end.
 */
export const exportPath = (path: string, at: Date): string =>
  path.replace(/\$\{([^}]*)(\}?)/g, (placeholder, name: string, end: string) => {
    const value = Object.entries(PLACEHOLDERS).find(([known]) => known === name.toLowerCase())?.[1];
    if (value === undefined || end === '')
      throw new FileFault(
        'InvalidPlaceholder',
        `there is no placeholder ${placeholder}: there are \${today}, \${now} and \${unix}`,
      );
    return value(at);
  });
