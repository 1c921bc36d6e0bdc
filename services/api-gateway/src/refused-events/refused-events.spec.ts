import {
  type Queries,
  Refusal,
  refusedSealContext,
  type RefusedEventView,
  type WorkspaceId,
} from '@penstock/contracts';
import { GatewayStand } from '../testing/gateway.fixture';
import { type Answered, jsonOf, send } from '../testing/http.fixture';
import {
  apiKey,
  organization,
  seals,
  source,
  workspace,
  WORKSPACE,
} from '../testing/installation.fixture';

const ELSEWHERE = 'workspace0000002' as WorkspaceId;
const reader = apiKey('read');
const writer = apiKey('write');
const shop = source('nodejs');
const foreign = source('nodejs', '{}', { workspace: ELSEWHERE });
const PATH = `/v1/connections/${shop.state.id}/refused-events`;

const stand = new GatewayStand();
const { pipelineService } = stand;

beforeAll(async () => {
  await stand.configure(
    organization({ apiKeys: [reader.record, writer.record] }),
    workspace(),
    workspace(ELSEWHERE),
    shop.state,
    foreign.state,
  );
  await stand.start();
});

afterAll(() => stand.stop());

beforeEach(() => {
  pipelineService.calls.length = 0;
});

const ask = (path: string, { key } = reader): Promise<Answered> =>
  send(stand.url(path), { method: 'GET', headers: { Authorization: `Bearer ${key}` } });

const view = (id: string, text: string | null, isCut = false): RefusedEventView => ({
  id,
  at: '2026-03-01T09:30:00.000Z' as RefusedEventView['at'],
  index: 3,
  messageId: 'm',
  code: 'InvalidEvent',
  path: '/type',
  reason: 'is required',
  sealed:
    text === null
      ? null
      : seals.seal(text, WORKSPACE, refusedSealContext({ source: shop.state.id, id })),
  isCut,
  count: 1,
});

const answer = (...events: readonly RefusedEventView[]): void => {
  pipelineService.answer('ListRefusedEvents', { events, cursor: 'next-1' });
};

const TEXT = '{"userId":"Ada","n":12345678901234567890}';

describe('the list', () => {
  it('has excerpts for scope write, whose access the router is asked to record', async () => {
    answer(view('1', TEXT));
    expect(jsonOf(await ask(`${PATH}?limit=2`, writer))).toEqual({
      events: [
        {
          id: '1',
          at: '2026-03-01T09:30:00.000Z',
          index: 3,
          messageId: 'm',
          code: 'InvalidEvent',
          path: '/type',
          reason: 'is required',
          excerpt: TEXT,
          isCut: false,
          isMasked: false,
          count: 1,
        },
      ],
      cursor: 'next-1',
    });
    expect(pipelineService.calls[0]).toMatchObject({
      name: 'ListRefusedEvents',
      in: { source: shop.state.id, limit: 2, cursor: '', withValues: true },
    });
  });

  it.each([
    [TEXT, false, '{"userId":"••••","n":"••••"}'],
    ['{"userId":"Ada","n', true, '••••'],
    ['7', false, '"••••"'],
    [null, false, null],
  ])('has of %p for scope read only the form: %p', async (text, isCut, excerpt) => {
    answer(view('1', text, isCut));
    expect(jsonOf(await ask(PATH))).toMatchObject({ events: [{ excerpt, isCut, isMasked: true }] });
    expect(pipelineService.calls[0]?.in).toMatchObject({ withValues: false });
  });

  it('passes on code, from, to and cursor', async () => {
    answer();
    await ask(
      `${PATH}?code=DifferentBody&from=2026-03-01T00:00:00Z&to=2026-03-02T00:00:00Z&cursor=a-b`,
    );
    expect(pipelineService.calls[0]?.in).toEqual({
      source: shop.state.id,
      code: 'DifferentBody',
      from: '2026-03-01T00:00:00.000Z',
      to: '2026-03-02T00:00:00.000Z',
      limit: 100,
      cursor: 'a-b',
      withValues: false,
    });
  });
});

it('the numbers are by code', async () => {
  const counts: Queries['CountRefusedEvents']['out'] = {
    counts: [{ code: 'InvalidEvent', count: 7 }],
  };
  pipelineService.answer('CountRefusedEvents', counts);
  expect(jsonOf(await ask(`${PATH}/counts?code=InvalidEvent`))).toEqual(counts);
  expect(pipelineService.calls[0]?.in).toEqual({ source: shop.state.id, code: 'InvalidEvent' });
});

it.each([
  ['?code=404', '/code'],
  ['?code=', '/code'],
  ['?from=today', '/from'],
  ['?to=1', '/to'],
  ['?limit=0', '/limit'],
  ['?limit=1001', '/limit'],
  ['?cursor=%20', '/cursor'],
  ['?state=Rejected', '/state'],
  ['?code=InvalidEvent&code=InvalidEvent', '/code'],
])('%s is refused with %s', async (query, path) => {
  const answered = await ask(`${PATH}${query}`);
  expect(answered.status).toBe(400);
  expect(jsonOf(answered)).toMatchObject({ error: { code: 'BadRequest', details: [{ path }] } });
  expect(pipelineService.calls).toEqual([]);
});

it.each(['nothing000000', '%00', foreign.state.id])('source %s does not exist', async (id) => {
  for (const path of ['refused-events', 'refused-events/counts']) {
    const answered = await ask(`/v1/connections/${id}/${path}`);
    expect(answered.status).toBe(404);
    expect(jsonOf(answered)).toMatchObject({ error: { code: 'ConnectionNotExist' } });
  }
  expect(pipelineService.calls).toEqual([]);
});

it('is unavailable while no router answers', async () => {
  pipelineService.answer('ListRefusedEvents', new Refusal('ServiceUnavailable'));
  expect((await ask(PATH)).status).toBe(503);
});
