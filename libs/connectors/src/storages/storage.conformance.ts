import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { BAD_PATHS, type connected, faultOf } from './storage.fixture';

/** A way in which writing breaks. */
export interface Break {
  /** From now on writing breaks, with content of {@link StorageStand.large} bytes in its middle. */
  begin(): void | Promise<void>;
  end(): void | Promise<void>;
  /** Whether even the unfinished file can be removed. */
  readonly isCleanedUp: boolean;
}

/** A storage that a spec has started, and what is really in it. */
export interface StorageStand {
  storage(signal?: AbortSignal): ReturnType<typeof connected>;
  /** The content at a path; undefined where there is none. */
  stored(path: string): Promise<Buffer | undefined>;
  /** Names of what is neither complete nor removed. */
  unfinished(): Promise<readonly string[]>;
  /** Removes what {@link unfinished} names. */
  tidy(): Promise<void>;
  /** A path at which nothing is. */
  path(): string;
  /** Bytes of a content that is written in several steps. */
  readonly large: number;
  readonly breaks: Readonly<Record<string, Break>>;
}

/** Content whose bytes tell where they are from. */
export const patterned = (length: number, seed: number): Buffer => {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at += 1) bytes[at] = (at * 31 + (at >> 8) * 7 + seed) & 0xff;
  return bytes;
};

/** Content in pieces, made when they are asked for. */
export async function* cut(content: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += length)
    yield await Promise.resolve(content.subarray(at, at + length));
}

async function* failing(content: Uint8Array, error: Error): AsyncGenerator<Uint8Array> {
  yield* cut(content, 50_000);
  throw error;
}

async function* hanging(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield* cut(content, 50_000);
  await new Promise(() => undefined);
}

const OLD = patterned(1_000, 99);

/** What every storage does that is read and written. */
export const storageConformance = (stand: () => StorageStand): void => {
  const written = async (path: string, content = OLD): Promise<string> => {
    await stand().storage().write(path, cut(content, 300));
    return path;
  };

  afterEach(async () => {
    expect(await stand().unfinished()).toEqual([]);
  });

  it('reads what it has written, whatever its size and however it comes', async () => {
    const path = stand().path();
    const { large } = stand();
    const sizes = fc.oneof(
      fc.constantFrom(0, 1, 32_767, 32_768, 32_769, 16 * 32_768, large - 1, large, large + 1),
      fc.nat({ max: 2 * large }),
    );
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1_000, max: 400_000 }), async (size, length) => {
        const content = patterned(size, length);
        await stand().storage().write(path, cut(content, length));
        const file = await stand().storage().open(path);
        expect(file.size).toBe(size);
        const read = await buffer(Readable.from(file.bytes));
        await file.close();
        expect(read.equals(content)).toBe(true);
        expect((await stand().stored(path))?.equals(content)).toBe(true);
      }),
      { numRuns: 8, endOnFailure: true },
    );
  });

  it('shows nothing before the file is complete', async () => {
    const path = stand().path();
    const content = patterned(stand().large, 1);
    const seen: (Buffer | undefined)[] = [];
    async function* watched(): AsyncGenerator<Uint8Array> {
      for await (const piece of cut(content, 100_000)) {
        yield piece;
        seen.push(await stand().stored(path));
      }
    }
    await stand().storage().write(path, watched());
    expect(seen.length).toBeGreaterThan(5);
    expect(new Set(seen)).toEqual(new Set([undefined]));
    expect((await stand().stored(path))?.equals(content)).toBe(true);
  });

  it.each(['nothing', 'a file'])('leaves %s as it was when the content fails', async (before) => {
    const path = stand().path();
    if (before === 'a file') await written(path);
    for (const size of [0, 100, stand().large]) {
      const error = new Error('the warehouse is away');
      const failure = stand()
        .storage()
        .write(path, failing(patterned(size, 2), error));
      await expect(failure).rejects.toBe(error);
      expect(await stand().stored(path)).toEqual(before === 'a file' ? OLD : undefined);
    }
  });

  it('ends with its caller, also while content is waited for', async () => {
    const path = await written(stand().path());
    const controller = new AbortController();
    const writing = faultOf(() =>
      stand()
        .storage(controller.signal)
        .write(path, hanging(patterned(stand().large, 3))),
    );
    await setTimeout(200);
    controller.abort();
    const late = setTimeout(20_000, 'late', { ref: false });
    expect((await Promise.race([writing, late]))[0]).toBe('Unavailable');
    await expectTidy();
    expect(await stand().stored(path)).toEqual(OLD);
  });

  it('does nothing for a caller who has given up before', async () => {
    const path = await written(stand().path());
    const signal = AbortSignal.abort();
    const bytes = cut(patterned(10, 1), 10);
    expect((await faultOf(() => stand().storage(signal).write(path, bytes)))[0]).toBe(
      'Unavailable',
    );
    expect(await stand().stored(path)).toEqual(OLD);
  });

  it('leaves what was there, however the storage breaks, and writes again afterwards', async () => {
    for (const [name, way] of Object.entries(stand().breaks)) {
      const path = await written(stand().path());
      const content = patterned(stand().large, 4);
      await way.begin();
      const [kind, message] = await faultOf(() =>
        stand().storage().write(path, cut(content, 70_000)),
      );
      expect([name, kind]).toEqual([name, 'Unavailable']);
      expect(message).not.toBe('');
      await way.end();
      expect([name, await stand().stored(path)]).toEqual([name, OLD]);
      if (way.isCleanedUp) await expectTidy();
      await stand().tidy();
      await stand().storage().write(path, cut(content, 70_000));
      expect((await stand().stored(path))?.equals(content)).toBe(true);
    }
  });

  it('has the content of one of those who write at the same time, or what was there before', async () => {
    const { large } = stand();
    const writer = fc.record({ size: fc.nat({ max: large }), fails: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(writer, { minLength: 2, maxLength: 4 }), async (writers) => {
        const path = await written(stand().path());
        const contents = writers.map(({ size }, index) => patterned(size, index));
        const results = await Promise.allSettled(
          writers.map(({ fails }, index) => {
            const content = contents[index] ?? OLD;
            const bytes = fails ? failing(content, new Error('broken')) : cut(content, 40_000);
            return stand().storage().write(path, bytes);
          }),
        );
        const made = contents.filter((_, index) => results[index]?.status === 'fulfilled');
        expect(results.map(({ status }) => status === 'rejected')).toEqual(
          writers.map(({ fails }) => fails),
        );
        const stored = await stand().stored(path);
        expect((made.length === 0 ? [OLD] : made).some((each) => stored?.equals(each))).toBe(true);
      }),
      { numRuns: 3, endOnFailure: true },
    );
  });

  it.each(BAD_PATHS)('writes nothing at the path %j: %s', async (path, kind) => {
    const bytes = cut(OLD, 100);
    expect((await faultOf(() => stand().storage().write(path, bytes)))[0]).toBe(kind);
  });

  /** What is removed on a connection of its own takes a moment. */
  const expectTidy = async (): Promise<void> => {
    for (let tries = 0; tries < 100 && (await stand().unfinished()).length > 0; tries += 1)
      await setTimeout(50);
    expect(await stand().unfinished()).toEqual([]);
  };
};
