import {
  instant,
  isIdForm,
  type NotificationId,
  type NotificationView,
  type PipelineId,
  type ConnectionId,
  type Queries,
  Refusal,
} from '@penstock/contracts';
import { LogRequestContext } from '@penstock/messaging';
import { Handles, type RequestFor } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AlertStore, type StoredNotification } from '../store/alerts/alert-store';
import { StoreTurns } from './store-turns';

const timeOf = (ms: number) => instant(new Date(ms));

const notificationView = (stored: StoredNotification): NotificationView => ({
  id: stored.notification,
  change: stored.change,
  connection: stored.subject === 'connection' ? (stored.id as ConnectionId) : null,
  pipeline: stored.subject === 'pipeline' ? (stored.id as PipelineId) : null,
  at: timeOf(stored.createdMs),
  state: stored.state,
  attempts: stored.attempts,
  nextAttemptAt: stored.endedMs === null ? timeOf(stored.dueMs) : null,
  status: stored.status,
  reason: stored.reason,
  endedAt: stored.endedMs === null ? null : timeOf(stored.endedMs),
});

/** @throws Refusal BadRequest for a text that is not a cursor of such a list. */
const notificationIn = (cursor: string): NotificationId | undefined => {
  if (cursor === '') return undefined;
  if (isIdForm(cursor)) return cursor as NotificationId;
  const details = [{ path: '/cursor', message: 'must be a cursor that a list has answered' }];
  throw new Refusal('BadRequest', { details });
};

/** Lists the notifications of an alert. */
@Controller()
export class ListAlertNotifications {
  constructor(
    private readonly alerts: AlertStore,
    private readonly turns: StoreTurns,
  ) {}

  @Handles('ListAlertNotifications')
  async handle(
    @Payload() request: RequestFor<'ListAlertNotifications'>,
    @Ctx() context: LogRequestContext,
  ): Promise<Queries['ListAlertNotifications']['out']> {
    const { alert, limit, cursor } = request.in;
    const before = notificationIn(cursor);
    const wanted = { limit: limit + 1, ...(before !== undefined && { before }) };
    const found = await this.turns.take(request, context, () =>
      this.alerts.list({ alert, workspace: request.context.workspace }, wanted),
    );
    const page = found.slice(0, limit);
    return {
      notifications: page.map(notificationView),
      cursor: page.length < found.length ? (page.at(-1)?.notification ?? '') : '',
    };
  }
}
