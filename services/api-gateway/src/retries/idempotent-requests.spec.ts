import { Refusal } from '@penstock/contracts';
import type { Logger, Seals, SecretBox } from '@penstock/runtime';
import type { ApiRequest } from '../auth/caller';
import type { PipelineService } from '../pipeline-service/pipeline-service';
import { IdempotentRequests } from './idempotent-requests';
import { again, answerNotKept, failure, type KeptAnswer, success } from './kept-answer';

interface Asked {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Requests whose state is stored as the test says. Sealed texts are what they hold, with the key. */
const requestsWith = (begun: object, isStored = true) => {
  const asked: Asked[] = [];
  const warnings: unknown[] = [];
  const pipelineService = {
    query: (name: string, _: string, input: Asked['input']) => {
      asked.push({ name, input });
      if (name === 'BeginRequest') return Promise.resolve(begun);
      return isStored ? Promise.resolve({}) : Promise.reject(new Error('away'));
    },
  } as unknown as PipelineService;
  const secrets = {
    keyedHash: (text: string) => `hash of ${text}`,
    seal: (text: string) => `installation: ${text}`,
  } as unknown as SecretBox;
  const seals = {
    seal: (text: string, workspace: string) => `${workspace}: ${text}`,
    open: (sealed: string, workspace: string) => sealed.slice(`${workspace}: `.length),
  } as unknown as Seals;
  const logger: Pick<Logger, 'warn'> = { warn: (of: unknown) => warnings.push(of) };
  return {
    requests: new IdempotentRequests(pipelineService, secrets, seals, logger),
    asked,
    warnings,
  };
};

const request = (
  members: {
    readonly key?: string;
    readonly workspace?: string;
    readonly method?: string;
    readonly path?: string;
    readonly body?: string;
  } = {},
): ApiRequest => {
  const { key = 'k', workspace = 'w1', method = 'POST', path = '/v1/x', body = '{}' } = members;
  return {
    ...{ method, path, requestId: 'r', content: Buffer.from(body) },
    caller: { key, workspace },
  } as unknown as ApiRequest;
};

const FIRST = { is: 'first', commandId: 'c1' };

/** How a request is stored: under which key, and with which digest. */
const stored = async (...given: Parameters<typeof request>): Promise<readonly unknown[]> => {
  const { requests, asked } = requestsWith(FIRST);
  await requests.begin(request(...given), 'idempotency');
  return [asked[0]?.input['key'], asked[0]?.input['digest']];
};

it('a request is known by its API key, its method, its path and the key that was sent', async () => {
  const [known, digest] = await stored();
  expect(await stored()).toEqual([known, digest]);
  for (const other of [{ key: 'other' }, { method: 'PUT' }, { path: '/v1/y' }])
    expect((await stored(other))[0]).not.toBe(known);
  const { requests, asked } = requestsWith(FIRST);
  await requests.begin(request(), 'another');
  expect(asked[0]?.input['key']).not.toBe(known);
});

it('a request with another body, or in another workspace, is another one', async () => {
  const [known, digest] = await stored();
  for (const other of [{ body: '{ }' }, { workspace: 'w2' }, { workspace: 'w1{', body: '}' }]) {
    const [key, different] = await stored(other);
    expect(key).toBe(known);
    expect(different).not.toBe(digest);
  }
});

it.each(['another', 'underWay'])('is refused as a conflict: %s', async (is) => {
  const { requests } = requestsWith({ is });
  await expect(requests.begin(request(), 'i')).rejects.toMatchObject({ code: 'Conflict' });
});

it('a stored answer is given again', async () => {
  const answer = JSON.stringify(success('{"id":1}'));
  const { requests } = requestsWith({ is: 'answered', answer: `w1: ${answer}` });
  const begun = (await requests.begin(request(), 'i')) as KeptAnswer;
  expect(again(begun)).toBe('{"id":1}');
});

describe('the answer of a request that is handled here', () => {
  const ended = async (answer: KeptAnswer | null, workspace = 'w1', isStored = true) => {
    const { requests, asked, warnings } = requestsWith(FIRST, isStored);
    const begun = await requests.begin(request({ workspace }), 'i');
    if (!('commandId' in begun)) throw new Error('it was begun before');
    expect(begun.commandId).toBe('c1');
    await begun.end(answer);
    const [begin, end] = asked;
    expect(end?.input['holder']).toBe(begin?.input['holder']);
    return { answer: end?.input['answer'], warnings: warnings.length };
  };

  it('is sealed under the key of its workspace, or of the installation', async () => {
    const text = '{"is":"success","body":"{}"}';
    expect(await ended(success('{}'))).toEqual({ answer: `w1: ${text}`, warnings: 0 });
    expect(await ended(success('{}'), '')).toEqual({
      answer: `installation: ${text}`,
      warnings: 0,
    });
  });

  it('is not stored where it is too long, or none', async () => {
    expect(await ended(success('x'.repeat(900_000)))).toMatchObject({ answer: null });
    expect(await ended(success('x'.repeat(800_000)))).not.toMatchObject({ answer: null });
    expect(await ended(null)).toMatchObject({ answer: null });
  });

  it('is sent also where it cannot be stored', async () => {
    expect(await ended(success('{}'), 'w1', false)).toMatchObject({ warnings: 1 });
  });
});

it.each([
  ['PipelineNotExist', true],
  ['PipelineNotRunnable', true],
  ['Forbidden', false],
  ['ServiceUnavailable', false],
] as const)('the refusal %s is repeated: %p', (code, isKept) => {
  const kept = failure(new Refusal(code));
  expect(kept !== null).toBe(isKept);
  if (kept !== null) expect(() => again(kept)).toThrow();
});

it('an answer that is not kept is told as a conflict', () => {
  expect(answerNotKept()).toMatchObject({ is: 'error', answer: { status: 409 } });
});
