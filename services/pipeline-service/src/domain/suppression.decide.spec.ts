import type { NewSuppression, SuppressionId, WorkspaceId } from '@penstock/contracts';
import { specify } from '@penstock/event-sourcing';
import { suppressionDecider } from './suppression.decide';

const { given } = specify(suppressionDecider);

const user: NewSuppression = { id: 'hash' as SuppressionId, workspace: 'w' as WorkspaceId };
const suppressed = { type: 'UserSuppressed', data: user } as const;
const unsuppressed = { type: 'UserUnsuppressed', data: {} } as const;
const suppress = { type: 'SuppressUser', user } as const;
const unsuppress = { type: 'UnsuppressUser' } as const;

it('suppresses a user', () => {
  given().when(suppress).then(suppressed);
});

it('suppresses once', () => {
  given(suppressed).when(suppress).thenNothing();
});

it('ends a suppression', () => {
  given(suppressed).when(unsuppress).then(unsuppressed);
});

it('records no end for a user who is not suppressed', () => {
  given().when(unsuppress).thenNothing();
  given(suppressed, unsuppressed).when(unsuppress).thenNothing();
});

it('suppresses a user again', () => {
  given(suppressed, unsuppressed).when(suppress).then(suppressed);
});
