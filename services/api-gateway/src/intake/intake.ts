import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '@penstock/runtime';
import { HttpRefusal } from '../http/http-refusal';
import { requestIdOf } from '../http/request-id';
import { type Door, doorAt, methodsOf } from './doors';
import type { EventDoor } from './event-door';
import { type IntakeAnswer, refusalAnswer } from './intake-answer';
import type { IntakeMetrics } from './intake-metrics';
import { ClientGone } from '../http/read-body';
import type { SettingsDoor } from './settings-door';
import { writeAnswer, writePreflight } from './write-answer';

export interface IntakeDependencies {
  readonly eventDoor: EventDoor;
  readonly settingsDoor: SettingsDoor;
  readonly metrics: IntakeMetrics;
  readonly logger: Logger;
}

/** The doors for events: a plain handler, since Express would cost more than all that is done here. */
export class Intake {
  constructor(private readonly dependencies: IntakeDependencies) {}

  /** @returns false, having done nothing, when the path is none of intake's. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = '', method = '' } = request;
    const mark = url.indexOf('?');
    const door = doorAt(mark === -1 ? url : url.slice(0, mark));
    if (door === undefined) return false;
    const query = mark === -1 ? '' : url.slice(mark + 1);
    const requestId = requestIdOf(request);
    if (method === 'OPTIONS') writePreflight(request, response, requestId, methodsOf(door));
    else void this.answer(request, response, requestId, door, query);
    return true;
  }

  private async answer(
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    door: Door,
    query: string,
  ): Promise<void> {
    const answer = await this.answerOf(request, door, query).catch((error: unknown) =>
      this.answerTo(error, requestId),
    );
    if (answer === undefined || response.destroyed) return;
    this.dependencies.metrics.countRequest(answer.status);
    writeAnswer(request, response, requestId, answer);
  }

  private async answerOf(
    request: IncomingMessage,
    door: Door,
    query: string,
  ): Promise<IntakeAnswer> {
    const methods = methodsOf(door);
    if (!methods.includes(request.method ?? ''))
      throw new HttpRefusal('MethodNotAllowed', { headers: { Allow: methods.join(', ') } });
    const { eventDoor, settingsDoor } = this.dependencies;
    return door.kind === 'events'
      ? eventDoor.take(request, door, query)
      : settingsDoor.answer(request, door, query);
  }

  /** @returns undefined when nobody is left to answer. */
  private answerTo(error: unknown, requestId: string): IntakeAnswer | undefined {
    if (error instanceof ClientGone) return undefined;
    const answer = refusalAnswer(error);
    if (answer.status >= 500)
      this.dependencies.logger.error({ err: error, requestId }, 'intake could not take a request');
    return answer;
  }
}
