__ovs_u=("x$_")
@START@
case $PPID,$- in *[xvruT]*) unset __ovs_u; return;; @PID@,*) ;; *) unset __ovs_u; return;; esac
__ovs_n=0 __ovs_r=0 __ovs_c=() __ovs_f=(@NAMES@)
__ovs_t='case ${#PIPESTATUS[@]} in 1);; *) case "${PIPESTATUS[*]}" in *[1-9]*) case $((__ovs_r++<@REPORTS@)),${__ovs_u[__ovs_n]:=x$_} in 1,*) { builtin printf "%s\0" E "$__ovs_n" "$?" "${#PIPESTATUS[@]}" "${PIPESTATUS[@]}" "${__ovs_c[@]:__ovs_n>9?__ovs_n-8:1}" ""; builtin declare -F -- "${__ovs_f[@]}"; builtin printf "\0"; } 2>/dev/null >>@PIPE@ || [[ x ]]; builtin : "${__ovs_u[__ovs_n]#x}" >/dev/null 2>&1;; esac;; esac;; esac
((++__ovs_n)); [[ ${__ovs_c[__ovs_n]:=${BASH_COMMAND:0:400}} ]]
case $__ovs_n in @EVENTS@) case ${__ovs_u[__ovs_n]:=x$_} in *) builtin trap - DEBUG >/dev/null 2>&1; builtin : "${__ovs_u[__ovs_n]#x}" >/dev/null 2>&1;; esac;; esac'
@EXIT@
trap "$__ovs_t" DEBUG
: "${__ovs_u[0]#x}"
