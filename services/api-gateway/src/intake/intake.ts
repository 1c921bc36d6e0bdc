import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '@penstock/runtime';
import { HttpRefusal } from '../http/http-refusal';
import { requestIdOf } from '../http/request-id';
import { allowedOf, type IntakeRoute, intakeRouteAt, methodsOf } from './intake-routes';
import type { EventHandler } from './event-handler';
import { type IntakeAnswer, refusalAnswer } from './intake-answer';
import type { IntakeMetrics } from './intake-metrics';
import { ClientGone } from '../http/read-body';
import type { SettingsHandler } from './settings-handler';
import { writeAnswer, writePreflight } from './write-answer';

export interface IntakeDependencies {
  readonly eventHandler: EventHandler;
  readonly settingsHandler: SettingsHandler;
  readonly metrics: IntakeMetrics;
  readonly logger: Logger;
}

/** Answers the routes of intake. A plain handler: Express would cost more than the work itself. */
export class Intake {
  constructor(private readonly dependencies: IntakeDependencies) {}

  /** @returns false, without side effects, when the path is not a route of intake. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = '', method = '' } = request;
    const mark = url.indexOf('?');
    const route = intakeRouteAt(mark === -1 ? url : url.slice(0, mark));
    if (route === undefined) return false;
    const query = mark === -1 ? '' : url.slice(mark + 1);
    const requestId = requestIdOf(request);
    if (method === 'OPTIONS') writePreflight(request, response, requestId, methodsOf(route));
    else void this.answer(request, response, requestId, route, query);
    return true;
  }

  private async answer(
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    route: IntakeRoute,
    query: string,
  ): Promise<void> {
    const answer = await this.answerOf(request, route, query).catch((error: unknown) =>
      this.answerTo(error, requestId),
    );
    if (answer === undefined || response.destroyed) return;
    this.dependencies.metrics.countRequest(answer.status);
    writeAnswer(request, response, requestId, answer);
  }

  private async answerOf(
    request: IncomingMessage,
    route: IntakeRoute,
    query: string,
  ): Promise<IntakeAnswer> {
    if (!methodsOf(route).includes(request.method ?? ''))
      throw new HttpRefusal('MethodNotAllowed', {
        headers: { Allow: allowedOf(route).join(', ') },
      });
    const { eventHandler, settingsHandler } = this.dependencies;
    return route.kind === 'events'
      ? eventHandler.take(request, route, query)
      : settingsHandler.answer(request, route, query);
  }

  /** @returns undefined when the client has disconnected. */
  private answerTo(error: unknown, requestId: string): IntakeAnswer | undefined {
    if (error instanceof ClientGone) return undefined;
    const answer = refusalAnswer(error);
    if (answer.status >= 500)
      this.dependencies.logger.error({ err: error, requestId }, 'intake could not take a request');
    return answer;
  }
}
