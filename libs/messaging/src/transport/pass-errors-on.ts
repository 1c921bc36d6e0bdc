import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';

/**
 * Passes the errors of message handlers to {@link LogServer}, which decides what to send and what to redeliver.
 *
 * Nest's own filter turns every error into "Internal server error" before a transport sees it: an application on the
 * log uses this one globally.
 */
@Catch()
export class PassErrorsOn implements RpcExceptionFilter<unknown> {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
