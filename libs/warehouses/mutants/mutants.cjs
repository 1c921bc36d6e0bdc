const { mutant } = require('../../../scripts/mutants/mutant.cjs');

const IDENTITIES = 'merging/identity-state.spec.ts';
const OUTCOMES = 'merging/batch-outcomes.spec.ts';
const RULES = 'resolving/rules.spec.ts';
const LEFT_OUT = 'postgresql/erasing/left-out.spec.ts';
const HASH = 'platform/erased-hash.spec.ts';
const ERASING = 'postgresql/erasing/erasing-contract.int.spec.ts';

/** Faults of warehouses that their specs must notice. */
module.exports = [
  // Merge
  mutant(
    'of equal updates the last one stays',
    'merging/identity-state.ts',
    'if (value === undefined || compareCodePoints(stamp, this.timeOf(name)) <= 0) continue;',
    'if (value === undefined || compareCodePoints(stamp, this.timeOf(name)) < 0) continue;',
    IDENTITIES,
  ),
  mutant(
    'a record clears what came after it',
    'merging/identity-state.ts',
    'if (compareCodePoints(stamp, this.timeOf(name)) <= 0) continue;\n      this.set(name, valueAt(values, path));',
    'this.set(name, valueAt(values, path));',
    IDENTITIES,
  ),
  mutant(
    'an older record counts after a newer one',
    'merging/identity-state.ts',
    'if (this.others !== undefined && compareCodePoints(stamp, this.others) <= 0) return;',
    '',
    IDENTITIES,
  ),
  mutant(
    'a property that a record has not stays',
    'merging/identity-state.ts',
    'if (value === undefined || value === null) this.values.delete(column);',
    'if (value === undefined) return; if (value === null) this.values.delete(column);',
    IDENTITIES,
  ),
  mutant(
    'the last update has the moment',
    'merging/identity-state.ts',
    'if (update.updatedAtUs > this.latestUs) this.latestUs',
    'this.latestUs',
    IDENTITIES,
  ),
  mutant(
    'whoever names an anonymous id last is its first',
    'merging/identity-state.ts',
    'if (known === undefined || compareCodePoints(stamp, known) < 0)',
    'if (known === undefined || compareCodePoints(stamp, known) > 0)',
    IDENTITIES,
  ),
  mutant(
    'previous ids are in the order of UTF-16',
    'merging/identity-state.ts',
    'return [...new Set(ids)].sort(compareCodePoints);',
    'return [...new Set(ids)].sort();',
    IDENTITIES,
  ),
  mutant(
    'an id that comes twice in a batch is not told',
    'merging/batch-outcomes.ts',
    'if (run !== undefined && earlier === undefined)',
    'if (run === null)',
    OUTCOMES,
  ),
  mutant(
    'an id that the batch counts is told as merged',
    'merging/batch-outcomes.ts',
    "return settled.get(recordId) ?? (this.refused.has(place) ? 'Finalize' : 'Merged');",
    "return this.refused.has(place) ? 'Finalize' : 'Merged';",
    OUTCOMES,
  ),
  mutant(
    'an id is written once for each update',
    'merging/batch-outcomes.ts',
    'if (ids.has(recordId)) return;',
    '',
    OUTCOMES,
  ),
  mutant(
    'single texts of a batch hold NUL',
    'merging/reduce-batch.ts',
    'return form.hasNul(row) || update.tieBreaker.includes(NUL)',
    'return update.tieBreaker.includes(NUL)',
    'postgresql/writing/reduce-batch.spec.ts',
  ),
  // Resolution
  mutant(
    'a value is an identifier that cannot be compared',
    'resolving/rules.ts',
    'if (column === undefined || !isIdentifying(column.type))',
    'if (column === undefined)',
    RULES,
  ),
  mutant(
    'a workspace has more identifiers than a mask has bits',
    'resolving/rules.ts',
    'if (identifiers.length > MAX_IDENTIFIERS)',
    'if (identifiers.length > 2 * MAX_IDENTIFIERS)',
    RULES,
  ),
  mutant(
    'values are blocked in one of their forms only',
    'resolving/rules.ts',
    'const blocked = blockedTexts(column.type, blockedValues.get(path) ?? []);',
    'const blocked = new Set(blockedValues.get(path) ?? []);',
    RULES,
  ),
  mutant(
    'an identifier counts among those of higher priority',
    'resolving/keys.ts',
    '{ length: place },',
    '{ length: place + 1 },',
    RULES,
  ),
  mutant(
    'padded numbers are not blocked',
    'resolving/blocked-texts.ts',
    "return canonicalDecimal(text.replace(PADDING, '$1'));",
    'return canonicalDecimal(text);',
    'resolving/blocked-texts.spec.ts',
  ),
  // Erasure
  mutant(
    'a known user and an anonymous one of one id are erased together',
    'platform/erased-hash.ts',
    "${anonymous ? 'anonymous' : 'known'}",
    "${anonymous ? 'known' : 'known'}",
    HASH,
  ),
  mutant(
    'who is erased from one source is left out of all',
    'platform/erased-hash.ts',
    'keyedHash(`erased\\0${connection}\\0$',
    'keyedHash(`erased\\0${connection.slice(99)}\\0$',
    HASH,
  ),
  mutant(
    'rows that were staged before an erasure are written without hashes',
    'postgresql/erasing/left-out.ts',
    'this.isHashing = true;\n    return true;',
    'return true;',
    LEFT_OUT,
  ),
  mutant(
    'rows are hashed before anybody was erased',
    'postgresql/erasing/left-out.ts',
    'private isHashing = false;',
    'private isHashing = true;',
    LEFT_OUT,
  ),
  mutant(
    'events of who was erased come again',
    'postgresql/erasing/left-out.ts',
    '`DELETE FROM ${stage} AS s USING ${this.erased} AS e WHERE e.hash = ANY (s.${HASHES.name})`,',
    '',
    LEFT_OUT,
  ),
  mutant(
    'who was erased comes again',
    'postgresql/erasing/postgresql-eraser.ts',
    'await this.keepHashes(client, signal);',
    '',
    ERASING,
    'what comes again, from imports and from events, and nothing of others',
  ),
  mutant(
    'the profile of a person stays',
    'postgresql/erasing/take-person.ts',
    'return { identities, history, profiles: await this.deleteProfile() };',
    'return { identities, history, profiles: 1 };',
    ERASING,
    'tells what it has erased, and that the profile is gone',
  ),
  mutant(
    'records are forgotten before their events are erased',
    'postgresql/erasing/erase-events.ts',
    'AND ((SELECT count(*) FROM found) < ${limits.events} OR n.place < (SELECT max(place) FROM found))',
    '',
    ERASING,
    'erases many records and events in pieces',
  ),
];
