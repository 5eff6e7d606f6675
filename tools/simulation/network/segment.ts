/** What TCP sends: bytes, or one of its flags. */
export type Segment = Buffer | 'syn' | 'syn+ack' | 'ack' | 'fin' | 'rst';

/** What the thread of a host reads of a connection. */
export type Reading = Buffer | 'opened' | 'refused' | 'end' | 'reset';
