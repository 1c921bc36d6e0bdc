import { isPlain, kindOfIdentifier, textOf } from '../../resolving/keys';
import { MOST_CHARACTERS, MOST_SHARED, MOST_SHARING } from '../../resolving/limits';
import { type Place, qualified } from '../sql/names';
import type { Rules } from './rules';

/** SQL of the values of identifiers, one or more, that too many identities have in common, by kinds of keys. */
export const selectShared = (place: Place, { identifiers }: Rules): string => {
  const kinds = identifiers.map((_, index) => `'${kindOfIdentifier(index)}'`);
  const texts = identifiers.map(({ text }, index) => `WHEN ${kinds[index] ?? ''} THEN ${text}`);
  return `
    SELECT s.KIND, CASE WHEN ${isPlain('s.KEY')} THEN ${textOf('s.KEY')}
                        ELSE COALESCE(LEFT(CASE s.KIND ${texts.join(' ')} END, ${String(MOST_CHARACTERS)}), '') END,
           s.SIZE
    FROM (SELECT "KIND" AS KIND, "KEY" AS KEY, COUNT(*) AS SIZE, MIN("IDENTITY") AS ONE
          FROM ${qualified(place, '_IDENTITY_KEYS')} WHERE "KIND" IN (${kinds.join(', ')})
          GROUP BY "KIND", "KEY" HAVING COUNT(*) > ${String(MOST_SHARING)}
          ORDER BY SIZE DESC, KIND, KEY LIMIT ${String(MOST_SHARED)}) AS s
    LEFT JOIN ${qualified(place, '_IDENTITIES')} AS i ON i."_ID" = s.ONE
    ORDER BY s.SIZE DESC, s.KIND, s.KEY`;
};
