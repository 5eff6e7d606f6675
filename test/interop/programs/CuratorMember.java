import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.Socket;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.retry.RetryForever;

/** Takes Curator's InterProcessMutex or InterProcessReadWriteLock a number of times, and tells a witness of each hold. */
public final class CuratorMember {
    private static final int CONNECT_MS = 15_000;
    private static final int RETRY_MS = 50;

    private final BufferedReader answers;
    private final PrintStream witness;

    private CuratorMember(Socket socket) throws Exception {
        socket.setTcpNoDelay(true);
        answers = new BufferedReader(new InputStreamReader(socket.getInputStream()));
        witness = new PrintStream(socket.getOutputStream(), true);
    }

    public static void main(String[] args) throws Exception {
        int sessionTimeout = Integer.parseInt(args[1]);
        String path = args[2];
        String[] modes = args[3].split(",");
        int grants = Integer.parseInt(args[4]);
        endWithParent();
        try (CuratorFramework client = CuratorFrameworkFactory.newClient(
                        args[0], sessionTimeout, CONNECT_MS, new RetryForever(RETRY_MS));
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(args[6]))) {
            client.start();
            client.blockUntilConnected();
            CuratorMember member = new CuratorMember(socket);
            member.tell("hello " + args[5]);
            InterProcessReadWriteLock shared = new InterProcessReadWriteLock(client, path);
            InterProcessMutex exclusive = new InterProcessMutex(client, path);
            for (int i = 0; i < grants; i++) {
                String mode = modes[i % modes.length];
                member.hold(
                        mode.equals("read") ? shared.readLock() : mode.equals("write") ? shared.writeLock() : exclusive,
                        mode);
            }
        }
        System.exit(0);
    }

    private void hold(InterProcessMutex mutex, String mode) throws Exception {
        acquire(mutex);
        tell("begin " + mode);
        tell("end");
        try {
            mutex.release();
        } catch (Exception lost) {
            // The session has expired, and the lock with it.
            System.err.println("release: " + lost);
        }
    }

    /** A wait that its session does not survive ends with an exception. */
    private static void acquire(InterProcessMutex mutex) throws InterruptedException {
        for (; ; ) {
            try {
                mutex.acquire();
                return;
            } catch (Exception lost) {
                System.err.println("acquire: " + lost);
                Thread.sleep(RETRY_MS);
            }
        }
    }

    private void tell(String what) throws java.io.IOException {
        witness.println(what);
        if (answers.readLine() == null) throw new java.io.EOFException("the witness has gone");
    }

    private static void endWithParent() {
        Thread watcher = new Thread(() -> {
            try {
                while (System.in.read() >= 0) {}
            } catch (java.io.IOException ended) {
                // A broken pipe also means the end.
            }
            Runtime.getRuntime().halt(1);
        });
        watcher.setDaemon(true);
        watcher.start();
    }
}
