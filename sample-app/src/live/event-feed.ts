import { Injectable } from '@nestjs/common';
import { LockService, type LockEvent } from 'nestjs-locked';
import { Observable, ReplaySubject } from 'rxjs';

const REMEMBERED = 60;

/** The lock events of this process; replays recent events to new subscribers. */
@Injectable()
export class EventFeed {
  private readonly events = new ReplaySubject<LockEvent>(REMEMBERED);

  constructor(locks: LockService) {
    locks.events$.subscribe(this.events);
  }

  get events$(): Observable<LockEvent> {
    return this.events;
  }
}
