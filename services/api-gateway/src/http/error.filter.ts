import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Logger } from '@penstock/runtime';
import type { Response } from 'express';
import { CallerGone } from './caller-gone';
import { type ErrorAnswer, errorAnswer, errorBody } from './error-answer';
import { Outages } from './outages';

/**
 * Answers every error of the API in one shape. Unexpected errors are logged but not revealed. An unavailable dependency
 * is logged once a minute per cause, with `alike`: the number of refusals since the previous line.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly outages = new Outages();

  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    if (error instanceof CallerGone) {
      response.destroy();
      return;
    }
    const answer = errorAnswer(error);
    this.log(error, answer);
    if (response.headersSent) response.destroy();
    else writeError(response, answer);
  }

  private log(err: unknown, { status, message }: ErrorAnswer): void {
    if (status < 500) return;
    const alike = status === UNAVAILABLE ? this.outages.count(message) : 0;
    if (alike === undefined) return;
    this.logger.error({ err, ...(alike > 0 && { alike }) }, 'a request could not be answered');
  }
}

const UNAVAILABLE = 503;

const writeError = (response: Response, answer: ErrorAnswer): void => {
  const { status, headers } = answer;
  response.status(status).set(headers).type('application/json').send(errorBody(answer));
};
