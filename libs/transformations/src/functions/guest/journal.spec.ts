import { unpackTexts } from '../wire/packed-texts';
import { JournalReader, JournalWriter, newJournalMemory } from './journal';

const KIB = 1024;

const journal = () => {
  const memory = newJournalMemory();
  const reader = new JournalReader(memory);
  const further: number[] = [];
  const writer = new JournalWriter(memory, (next) => {
    further.push(next.byteLength);
    reader.goOn(next);
  });
  const take = (): string[] =>
    reader.take().flatMap((packed) => [...unpackTexts(packed)].map((bytes) => bytes.toString()));
  return { reader, writer, take, further };
};

it('returns each answer once, in order', () => {
  const { writer, take } = journal();
  writer.append('Rone');
  writer.append(Buffer.from('Etwo é'));
  expect(take()).toEqual(['Rone', 'Etwo é']);
  expect(take()).toEqual([]);
  writer.append('R');
  expect(take()).toEqual(['R']);
});

it('returns copies, which later answers do not change', () => {
  const { reader, writer } = journal();
  writer.append('first');
  const [packed = Buffer.alloc(0)] = reader.take();
  reader.begin();
  writer.begin();
  writer.append('other');
  expect(packed.toString('utf8', 4)).toBe('first');
});

it('reuses its memory for each batch, and returns nothing of the previous one', () => {
  const { reader, writer, take, further } = journal();
  for (let batch = 0; batch < 10; batch += 1) {
    reader.begin();
    expect(take()).toEqual([]);
    writer.begin();
    writer.append('x'.repeat(100 * KIB));
    expect(take()).toHaveLength(1);
  }
  expect(further).toEqual([]);
});

it.each([
  ['one byte', (text: string) => text],
  ['bytes', (text: string) => Buffer.from(text)],
])('fills the first piece to its last byte, and continues in another, in %s', (_, form) => {
  const { writer, take, further } = journal();
  const full = 'x'.repeat(256 * KIB - 4);
  writer.append(form(full));
  expect(further).toEqual([]);
  writer.append(form(''));
  expect(further).toEqual([8 + KIB * KIB]);
  writer.append(form('after'));
  expect(take()).toEqual([full, '', 'after']);
});

it('allocates a piece for one answer that exceeds the usual size', () => {
  const { writer, take, further } = journal();
  const large = '€'.repeat(KIB * KIB);
  writer.append('small');
  writer.append(large);
  expect(take()).toEqual(['small', large]);
  writer.append('next');
  expect(take()).toEqual(['next']);
  expect(further).toEqual([8 + 4 + 3 * KIB * KIB, 8 + KIB * KIB]);
});

it('returns to the first piece with the next batch', () => {
  const { reader, writer, take, further } = journal();
  writer.append('x'.repeat(300 * KIB));
  expect(take()).toHaveLength(1);
  reader.begin();
  writer.begin();
  writer.append('small');
  expect(take()).toEqual(['small']);
  expect(further).toHaveLength(1);
});

it('reuses a further piece after it was read, and returns nothing of its previous content', () => {
  const memory = newJournalMemory();
  const reader = new JournalReader(memory);
  const pieces = new Set<SharedArrayBuffer>();
  const writer = new JournalWriter(memory, (next) => {
    pieces.add(next);
    reader.goOn(next);
  });
  const texts = Array.from({ length: 40 }, (_, index) => `${index} `.repeat(150 * KIB));
  const taken = texts.flatMap((text) => {
    writer.append(text);
    return reader.take().flatMap((packed) => [...unpackTexts(packed)].map(String));
  });
  expect(taken).toEqual(texts);
  expect(pieces.size).toBe(5);
});

it('has room for four further pieces, including the one being written', () => {
  const { writer, take, further } = journal();
  const large = 'x'.repeat(KIB * KIB - 4);
  for (let piece = 0; piece < 4; piece += 1) writer.append(large);
  expect(further).toHaveLength(4);
  expect(take()).toHaveLength(4);
  for (let piece = 0; piece < 3; piece += 1) writer.append(large);
  expect(take()).toHaveLength(3);
});
