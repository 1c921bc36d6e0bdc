import type { ProfileFact } from '@penstock/contracts';
import { MAX_VALUE_BYTES } from '@penstock/messaging';
import { randomUUID } from 'node:crypto';
import { MAX_PART_IDS, profileFactParts } from './profile-fact-parts';

const ids = (count: number) => Array.from({ length: count }, () => randomUUID());

const bytes = (fact: ProfileFact): number => Buffer.byteLength(JSON.stringify(fact));

const merged = (absorbed: readonly string[]): ProfileFact => ({
  ...{ type: 'ProfilesMerged', survivor: randomUUID(), absorbed },
  joinedBy: Array.from({ length: 100 }, () => ({
    ...{ rule: 'd', identifier: 'a'.repeat(1_000) },
    identities: ['1'.repeat(19), '2'.repeat(19)],
  })),
});

const split = (created: readonly string[]): ProfileFact => ({
  ...{ type: 'ProfileSplit', kept: randomUUID(), created, reason: 'changed' },
});

it('leaves a fact as it is that names up to so many profiles', () => {
  for (const fact of [merged(ids(1)), merged(ids(MAX_PART_IDS)), split(ids(MAX_PART_IDS))])
    expect(profileFactParts(fact)).toEqual([fact]);
  const created: ProfileFact = { type: 'ProfileCreated', id: randomUUID(), identities: ['1'] };
  expect(profileFactParts(created)).toEqual([created]);
});

it('divides one that names more, so that every part fits into the log', () => {
  const many = ids(2 * MAX_PART_IDS + 1);
  const ofMerge = profileFactParts(merged(many));
  const ofSplit = profileFactParts(split(many));
  expect(ofMerge.flatMap((fact) => (fact.type === 'ProfilesMerged' ? fact.absorbed : []))).toEqual(
    many,
  );
  expect(ofSplit.flatMap((fact) => (fact.type === 'ProfileSplit' ? fact.created : []))).toEqual(
    many,
  );
  for (const parts of [ofMerge, ofSplit]) {
    expect(parts).toHaveLength(3);
    for (const part of parts) expect(bytes(part)).toBeLessThan(MAX_VALUE_BYTES / 2);
  }
  expect(
    ofMerge.flatMap((fact) => (fact.type === 'ProfilesMerged' ? fact.joinedBy : [])),
  ).toHaveLength(100);
});
