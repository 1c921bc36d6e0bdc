import { canonicalUuid } from './uuid';

const UUID = '550e8400-e29b-41d4-a716-446655440000';

it.each([
  UUID,
  UUID.toUpperCase(),
  `{${UUID}}`,
  `{${UUID.toUpperCase()}}`,
  `urn:uuid:${UUID}`,
  UUID.replaceAll('-', ''),
  UUID.replaceAll('-', '').toUpperCase(),
])('%s', (text) => expect(canonicalUuid(text)).toBe(UUID));

it.each([
  '',
  UUID.slice(1),
  `${UUID}0`,
  `{${UUID}`,
  `${UUID}}`,
  `(${UUID})`,
  `{${UUID.replaceAll('-', '')}}`,
  `urn:uuid:${UUID.replaceAll('-', '')}`,
  `urn:uuid:{${UUID}}`,
  `uuid:${UUID}`,
  UUID.replace('e', 'g'),
  '550e84-00e29b-41d4-a716-446655440000',
  '550e8400e29b-41d4-a716-446655440000',
  ` ${UUID}`,
  `${UUID}\n`,
])('%j is refused', (text) => expect(canonicalUuid(text)).toBeUndefined());
