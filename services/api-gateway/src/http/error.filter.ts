import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import { type Logger, Outages } from '@penstock/runtime';
import type { Response } from 'express';
import { CallerGone } from './caller-gone';
import { type ErrorAnswer, errorAnswer, errorBody } from './error-answer';

/**
 * Answers every error of the API in one shape. Unexpected errors are logged but not revealed. An unavailable dependency
 * is logged once a minute per cause, see {@link Outages}.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly outages: Outages;

  constructor(private readonly logger: Logger) {
    this.outages = new Outages(logger);
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    if (error instanceof CallerGone) {
      response.destroy();
      return;
    }
    const answer = this.answerTo(error);
    if (response.headersSent) response.destroy();
    else writeError(response, answer);
  }

  /** The answer to an error, which is logged where it says something of this process or of what it depends on. */
  answerTo(error: unknown): ErrorAnswer {
    const answer = errorAnswer(error);
    this.log(error, answer);
    return answer;
  }

  private log(err: unknown, { status, message }: ErrorAnswer): void {
    if (status < 500) return;
    if (status === UNAVAILABLE)
      this.outages.report({ what: `requests are answered with 503: ${message}`, err });
    else
      this.logger.error(
        { err },
        'a request was answered with 500: the error is one of Penstock itself',
      );
  }
}

const UNAVAILABLE = 503;

const writeError = (response: Response, answer: ErrorAnswer): void => {
  const { status, headers } = answer;
  response.status(status).set(headers).type('application/json').send(errorBody(answer));
};
