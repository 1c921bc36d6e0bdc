import { type ArgumentsHost, Catch, type ExceptionFilter } from '@nestjs/common';
import type { Logger } from '@penstock/runtime';
import type { Response } from 'express';
import { type ErrorAnswer, errorAnswer, errorBody } from './error-answer';

/** Every error of the API, in one shape. What nobody foresaw is logged, and not told. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const answer = errorAnswer(error);
    if (answer.status >= 500) this.logger.error({ err: error }, 'a request could not be answered');
    const response = host.switchToHttp().getResponse<Response>();
    if (response.headersSent) response.destroy();
    else writeError(response, answer);
  }
}

const writeError = (response: Response, answer: ErrorAnswer): void => {
  const { status, headers } = answer;
  response.status(status).set(headers).type('application/json').send(errorBody(answer));
};
