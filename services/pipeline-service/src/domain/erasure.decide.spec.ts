import {
  type EndedErasure,
  type ErasureFact,
  type ErasureId,
  type Instant,
  MAX_LIVE_ERASURES,
  type WorkspaceId,
} from '@penstock/contracts';
import { specify } from '@penstock/event-sourcing';
import { type ErasureCommand, erasureDecider } from './erasure.decide';

const { given } = specify(erasureDecider);

const ID = 'workspace0000001' as WorkspaceId;
const NOW = '2026-03-01T09:30:00.000Z' as Instant;

const requestedOf = (erasure: string, profile: string) => ({
  ...{ erasure: erasure as ErasureId, profile, requestedAt: NOW, actor: 'key' },
});

const request = (erasure: string, profile = erasure): ErasureCommand => ({
  ...{ type: 'Request', id: ID, requested: requestedOf(erasure, profile) },
});

const requested = (erasure: string, profile = erasure): ErasureFact => ({
  type: 'ErasureRequested',
  data: { id: ID, ...requestedOf(erasure, profile) },
});

const endOf = (erasure: string): EndedErasure => ({
  ...{ erasure: erasure as ErasureId, error: '', endedAt: NOW },
  counts: { profiles: 1, identities: 3, history: 2, events: 7, samples: 1 },
});

const ended = (erasure: string): ErasureFact => ({ type: 'ErasureEnded', data: endOf(erasure) });

const many = (count: number): ErasureFact[] =>
  Array.from({ length: count }, (_, at) => requested(`e${String(at)}`));

it('is recorded, with who has asked for it', () =>
  given().when(request('one')).then(requested('one')));

it('of one profile is requested once at a time', () =>
  given(requested('one', 'profile')).when(request('two', 'profile')).thenNothing());

it('may be requested again when it has ended', () =>
  given(requested('one', 'profile'), ended('one'))
    .when(request('two', 'profile'))
    .then(requested('two', 'profile')));

it('is one of a hundred at most', () =>
  given(...many(MAX_LIVE_ERASURES - 1))
    .when(request('last'))
    .then(requested('last')));

it('is refused beyond', () =>
  given(...many(MAX_LIVE_ERASURES))
    .when(request('more'))
    .thenRefused('OperationAlreadyExecuting'));

it('ends once, with what was erased', () => {
  given(requested('one'), requested('two'))
    .when({ type: 'End', end: endOf('two') })
    .then(ended('two'));
  given(requested('one'), ended('one'))
    .when({ type: 'End', end: endOf('one') })
    .thenNothing();
  given()
    .when({ type: 'End', end: endOf('one') })
    .thenNothing();
});
